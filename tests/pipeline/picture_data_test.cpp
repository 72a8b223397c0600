// These tests check aspect ratio, HDR, stereo, spherical pictures and captions: what a run keeps of
// them, and what it reports about them.
extern "C" {
#include <libavutil/dovi_meta.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/spherical.h>
#include <libavutil/stereo3d.h>
}

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/job.h"
#include "tests/support/remux.h"
#include "tests/support/temporary_folder.h"
#include "video/frames/pictures.h"
#include "video/write/encoder.h"

namespace facepipe::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
namespace fs = std::filesystem;

class PictureData : public testing::Test {
 protected:
  static void SetUpTestSuite() { video::redirect_ffmpeg_log(); }

  [[nodiscard]] pipeline::JobOptions job(const fs::path& input, const std::string& output) const {
    return lossless_job(input, folder_ / output);
  }
  [[nodiscard]] pipeline::JobOptions job(const fs::path& input, const std::string& output,
                                         const char* encoder) const {
    pipeline::JobOptions options = default_job(input, folder_ / output);
    options.output.encoder.codec = encoder;
    return options;
  }
  static pipeline::JobOptions strict(pipeline::JobOptions options) {
    options.output.strict = true;
    return options;
  }
  fs::path clip(const char* name, const std::string& arguments = {}) const {
    ffmpeg("-f lavfi -i testsrc2=s=96x64:r=10:d=0.3 -c:v libx264 -preset ultrafast " + arguments,
           folder_ / name);
    return folder_ / name;
  }

  TemporaryFolder folder_;
};

nlohmann::json video_of(const fs::path& file) { return streams_of(probe(file), "video").at(0); }

/// Returns the names of the side data of a file's video stream, as ffprobe prints them.
std::set<std::string> data_of(const fs::path& file) {
  std::set<std::string> names;
  const nlohmann::json video = video_of(file);
  if (video.contains("side_data_list"))
    for (const auto& data : video.at("side_data_list")) names.insert(data.at("side_data_type"));
  return names;
}

/// Returns what ffprobe prints about a file's first picture.
std::string data_of_picture(const fs::path& file) {
  return run_command({"ffprobe", "-v", "error", "-show_frames", "-read_intervals", "%+#1",
                      "-select_streams", "v", file.string()})
      .out;
}

/// Returns whether the file's H.264 contains the HDR10 data of a_display() in its SEI messages;
/// h264_holds_light() does the same for a_light(). FFmpeg reads these data only since version 7.
bool h264_holds_display(const fs::path& file) {
  return read_file(file).find("\x89\x18\x33\xC2\x86\xC4\x1D\x4C") != std::string::npos;
}
bool h264_holds_light(const fs::path& file) {
  return read_file(file).find("\x90\x04\x03\xE8\x01\x90") != std::string::npos;
}

// --- Aspect ratio in the container

TEST_F(PictureData, B6TheAspectOfTheContainerCountsMoreThanThatOfTheCodec) {
  clip("square.mp4", "-vf setsar=1");
  for (const char* const name : {"wide.mp4", "wide.mkv", "wide.mov"}) {
    ffmpeg("-i " + (folder_ / "square.mp4").string() + " -c copy -aspect 16:9", folder_ / name);
    for (const char* const output : {"out.mp4", "out.mkv", "out.ts", "out.avi"}) {
      run_fake_job(strict(job(folder_ / name, output)));
      EXPECT_EQ(video_of(folder_ / output).at("display_aspect_ratio"), "16:9")
          << name << " " << output;
    }
  }
  // If the container has no aspect ratio, the job uses the codec's aspect ratio.
  run_fake_job(strict(job(clip("codec.ts", "-vf setsar=4/3"), "out.mkv")));
  EXPECT_EQ(video_of(folder_ / "out.mkv").at("sample_aspect_ratio"), "4:3");
}

// --- 3D, spherical pictures and light in the container

AVMasteringDisplayMetadata a_display() {
  AVMasteringDisplayMetadata display{};
  display.display_primaries[0][0] = {34000, 50000};
  display.display_primaries[0][1] = {16000, 50000};
  display.display_primaries[1][0] = {13250, 50000};
  display.display_primaries[1][1] = {34500, 50000};
  display.display_primaries[2][0] = {7500, 50000};
  display.display_primaries[2][1] = {3000, 50000};
  display.white_point[0] = {15635, 50000};
  display.white_point[1] = {16450, 50000};
  display.min_luminance = {1, 10000};
  display.max_luminance = {10000000, 10000};
  display.has_primaries = display.has_luminance = 1;
  return display;
}

AVContentLightMetadata a_light() {
  AVContentLightMetadata light{};
  light.MaxCLL = 1000;
  light.MaxFALL = 400;
  return light;
}

/// Adds all side data that a stream can have about its pictures.
void add_all(AVStream& stream) {
  AVStereo3D stereo{};
  stereo.type = AV_STEREO3D_SIDEBYSIDE;
  AVSphericalMapping sphere{};
  sphere.projection = AV_SPHERICAL_EQUIRECTANGULAR;
  add_stream_data(stream, AV_PKT_DATA_STEREO3D, stereo);
  add_stream_data(stream, AV_PKT_DATA_SPHERICAL, sphere);
  add_stream_data(stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, a_display());
  add_stream_data(stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, a_light());
}

TEST_F(PictureData, B7B8WhatTheContainerSaysIsKeptOrTold) {
  clip("plain.mp4");
  remux(folder_ / "plain.mp4", folder_ / "in.mkv", add_all);
  struct Kind {
    const char* name;
    const char* told;
    bool (*in_h264)(const fs::path&);
  };
  constexpr Kind kKinds[] = {
      {"Stereo 3D", "stereo 3D", nullptr},
      {"Spherical Mapping", "360 degrees", nullptr},
      {"Mastering display metadata", "mastering display", h264_holds_display},
      {"Content light level metadata", "light levels", h264_holds_light}};
  for (const Kind& kind : kKinds) ASSERT_THAT(data_of(folder_ / "in.mkv"), Contains(kind.name));
  for (const char* const encoder : {"libx264", "mpeg4"}) {
    for (const std::string output :
         {"o.mp4", "o.mov", "o.m4v", "o.mkv", "o.ts", "o.avi", "o.nut"}) {
      const JobRun run = run_fake_job(job(folder_ / "in.mkv", output, encoder));
      const std::set<std::string> of_stream = data_of(folder_ / output);
      const std::string of_picture = data_of_picture(folder_ / output);
      for (const Kind& kind : kKinds) {
        const bool kept = of_stream.contains(kind.name) ||
                          of_picture.find(kind.name) != std::string::npos ||
                          (kind.in_h264 != nullptr && kind.in_h264(folder_ / output));
        const bool told = testing::Value(run.result.notices, Contains(HasSubstr(kind.told)));
        EXPECT_NE(kept, told) << encoder << " " << output << ": " << kind.name;
      }
    }
  }
  for (const char* const output : {"o.mp4", "o.mkv"})
    EXPECT_NO_THROW(run_fake_job(strict(job(folder_ / "in.mkv", output)))) << output;
  expect_error(ErrorKind::output, "stereo 3D",
               [&] { run_fake_job(strict(job(folder_ / "in.mkv", "strict.mov"))); });
}

TEST_F(PictureData, B7StereoOfMp4StaysInMp4) {
  clip("in.mkv", "-metadata:s:v stereo_mode=left_right");
  ffmpeg("-i " + (folder_ / "in.mkv").string() + " -c copy -strict unofficial", folder_ / "in.mp4");
  run_fake_job(strict(job(folder_ / "in.mp4", "out.mp4")));
  EXPECT_THAT(data_of(folder_ / "out.mp4"), Contains("Stereo 3D"));
}

// --- Data that only pictures have

TEST_F(PictureData, B8Hdr10ThatOnlyPicturesHoldIsKept) {
  const fs::path input = folder_ / "hdr.mp4";
  ffmpeg(
      "-f lavfi -i testsrc2=s=96x64:r=10:d=0.5 -pix_fmt yuv420p10le -c:v libx265 -preset ultrafast "
      "-x265-params log-level=none:hdr10=1:master-display=G(13250,34500)B(7500,3000)R(34000,16000)"
      "WP(15635,16450)L(10000000,1):max-cll=1000,400",
      input);
  ASSERT_THAT(data_of(input), IsEmpty());
  for (const char* const encoder : {"libx264", "libx265"})
    for (const std::string output : {"out.mp4", "out.mkv", "out.mov", "out.ts"}) {
      pipeline::JobOptions options = strict(job(input, output, encoder));
      options.output.encoder.preset = "ultrafast";
      run_fake_job(options);
      if (output != "out.ts") {
        const std::set<std::string> of_stream = data_of(folder_ / output);
        EXPECT_THAT(of_stream, Contains("Mastering display metadata")) << output;
        EXPECT_THAT(of_stream, Contains("Content light level metadata")) << output;
      }
      if (encoder == std::string("libx264")) {
        EXPECT_TRUE(h264_holds_display(folder_ / output)) << output;
        EXPECT_TRUE(h264_holds_light(folder_ / output)) << output;
        continue;
      }
      const std::string of_picture = data_of_picture(folder_ / output);
      EXPECT_THAT(of_picture, HasSubstr("red_x=34000/50000")) << encoder << " " << output;
      EXPECT_THAT(of_picture, HasSubstr("max_luminance=10000000/10000")) << output;
      EXPECT_THAT(of_picture, HasSubstr("max_content=1000")) << encoder << " " << output;
    }
  expect_error(ErrorKind::output, "HDR10's mastering display",
               [&] { run_fake_job(strict(job(input, "strict.ts", "mpeg2video"))); });
}

TEST_F(PictureData, B8WhatTheUserSaysOfHdr10Counts) {
  const AVCodec& codec = *avcodec_find_encoder_by_name("libx265");
  const AVMasteringDisplayMetadata display = a_display();
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&display);
  const std::vector<video::StreamData> data{
      {AV_PKT_DATA_MASTERING_DISPLAY_METADATA, {bytes, bytes + sizeof display}}};
  using Options = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(video::hdr10_options(codec, data, {{"x265-params", "pools=1"}}),
            (Options{{"x265-params",
                      "pools=1:master-display=G(13250,34500)B(7500,3000)R(34000,16000)"
                      "WP(15635,16450)L(10000000,1)"}}));
  EXPECT_EQ(video::hdr10_options(codec, data, {{"x265-params", "master-display=G(1,1)"}}),
            Options{});
  EXPECT_EQ(video::hdr10_options(codec, {}, {}), Options{});
  EXPECT_EQ(video::hdr10_options(*avcodec_find_encoder_by_name("ffv1"), data, {}), Options{});
}

TEST_F(PictureData, B8DolbyVisionIsToldAndProfileFiveLoudly) {
  clip("plain.mp4");
  struct Case {
    std::uint8_t profile;
    std::uint8_t compatibility;
    const char* told;
  };
  for (const Case& c : {Case{5, 0, "WRONG COLOURS"}, Case{8, 1, "Dolby Vision data lost"}}) {
    remux(folder_ / "plain.mp4", folder_ / "in.mp4", [&](AVStream& stream) {
      AVDOVIDecoderConfigurationRecord record{};
      record.dv_version_major = 1;
      record.dv_profile = c.profile;
      record.rpu_present_flag = record.bl_present_flag = 1;
      record.dv_bl_signal_compatibility_id = c.compatibility;
      add_stream_data(stream, AV_PKT_DATA_DOVI_CONF, record);
    });
    ASSERT_THAT(data_of(folder_ / "in.mp4"), Contains("DOVI configuration record"));
    const JobRun run = run_fake_job(job(folder_ / "in.mp4", "out.mp4"));
    EXPECT_THAT(run.result.notices, Contains(HasSubstr(c.told)));
    EXPECT_THAT(data_of(folder_ / "out.mp4"), Not(Contains("DOVI configuration record")));
    expect_error(ErrorKind::output, c.told,
                 [&] { run_fake_job(strict(job(folder_ / "in.mp4", "strict.mp4"))); });
  }
}

// --- Captions

/// Makes a file of pictures with closed captions, encoded by libx264.
fs::path captioned(const fs::path& file) {
  video::EncoderSetup setup;
  setup.plan = {avcodec_find_encoder_by_name("libx264"), AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P};
  setup.frame_rate = {25, 1};
  setup.output = file.string();
  video::Notices notices(file.string());
  std::ofstream out(file, std::ios::binary);
  const video::Encoder::Sink sink = [&](const video::EncodedFrame& encoded) {
    out.write(reinterpret_cast<const char*>(encoded.packet->data), encoded.packet->size);
  };
  std::unique_ptr<video::Encoder> encoder;
  for (int i = 0; i < 10; ++i) {
    video::UniqueAVFrame picture = video::new_av_frame();
    picture->format = AV_PIX_FMT_YUV420P;
    picture->width = 96;
    picture->height = 64;
    video::check_av(av_frame_get_buffer(picture.get(), 0), ErrorKind::internal, "a picture");
    for (int plane = 0; plane < 3; ++plane)
      std::memset(picture->data[plane], 100 + i,
                  static_cast<std::size_t>(picture->linesize[plane]) * (plane == 0 ? 64 : 32));
    AVFrameSideData* const captions =
        video::allocated(av_frame_new_side_data(picture.get(), AV_FRAME_DATA_A53_CC, 3));
    const std::uint8_t kPair[] = {0xFC, 0xC8, 0xE9};  // "Hi" in field 1
    std::memcpy(captions->data, kPair, sizeof kPair);
    Frame frame = video::wrap(std::move(picture));
    frame.time_base = {1, 25};
    frame.pts = i;
    frame.duration = 1;
    if (!encoder) encoder = video::make_cpu_encoder(setup, frame, notices);
    encoder->encode(std::move(frame), {}, sink);
  }
  encoder->flush(sink);
  return file;
}

TEST_F(PictureData, B15CaptionsAreKeptOrTold) {
  const fs::path input = captioned(folder_ / "in.264");
  ASSERT_THAT(data_of_picture(input), HasSubstr("Closed Captions"));
  run_fake_job(strict(job(input, "out.mkv")));
  EXPECT_THAT(data_of_picture(folder_ / "out.mkv"), HasSubstr("Closed Captions"));
  for (const char* const encoder : {"ffv1", "mjpeg", "libx265"}) {
    const JobRun run = run_fake_job(job(input, "lost.mkv", encoder));
    const bool kept =
        data_of_picture(folder_ / "lost.mkv").find("Closed Captions") != std::string::npos;
    EXPECT_NE(kept, testing::Value(run.result.notices, Contains(HasSubstr("closed captions lost"))))
        << encoder;
  }
  expect_error(ErrorKind::output, "closed captions lost: ffv1",
               [&] { run_fake_job(strict(job(input, "strict.mkv", "ffv1"))); });
  EXPECT_FALSE(fs::exists(folder_ / "strict.mkv"));
}

}  // namespace
}  // namespace facepipe::test
