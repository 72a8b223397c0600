// These tests run whole jobs from NVDEC to the fake NVENC. They compare the annotated frames with
// those of a run with the CPU's encoder. They also check what happens on a GPU without NVENC.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "pipeline/cuda/backend.h"
#include "tests/support/clips.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"
#include "tests/video/cuda/nvenc_script.h"
#include "video/frames/pictures.h"

namespace facepipe::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

constexpr Size kSize{320, 240};
constexpr int kFrames = 30;

/// Returns a fake GPU that gives libx264's packets of grey pictures, reordered as with NVENC's
/// presets.
FakeChip chip_with_real_packets() {
  video::EncoderSetup setup;
  setup.plan = {avcodec_find_encoder_by_name("libx264"), AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P};
  setup.options.options = {{"bf", "2"}, {"b_strategy", "0"}, {"sc_threshold", "0"}};
  setup.frame_rate = {25, 1};
  setup.global_header = true;
  const auto grey = [](int number) {
    video::UniqueAVFrame picture = video::new_av_frame();
    picture->format = AV_PIX_FMT_YUV420P;
    picture->width = kSize.width;
    picture->height = kSize.height;
    video::check_av(av_frame_get_buffer(picture.get(), 0), ErrorKind::internal, "picture");
    for (int c = 0; c < 3; ++c)
      std::fill_n(picture->data[c], picture->linesize[c] * (kSize.height >> (c > 0 ? 1 : 0)),
                  static_cast<std::uint8_t>(40 + 5 * number));
    Frame frame = video::wrap(std::move(picture));
    frame.time_base = {1, 25};
    frame.pts = number;
    frame.duration = 1;
    return frame;
  };
  video::Notices notices("script");
  FakeChip chip;
  const auto sink = [&](video::EncodedFrame encoded) {
    const AVPacket& packet = *encoded.packet;
    chip.script.push_back({static_cast<std::size_t>(packet.pts),
                           (packet.flags & AV_PKT_FLAG_KEY) != 0,
                           {packet.data, packet.data + packet.size}});
  };
  const auto encoder = video::make_cpu_encoder(setup, grey(0), notices);
  for (int i = 0; i < kFrames; ++i) encoder->encode(grey(i), {}, sink);
  encoder->flush(sink);
  const video::UniqueCodecParameters parameters = encoder->parameters();
  chip.headers.assign(parameters->extradata, parameters->extradata + parameters->extradata_size);
  return chip;
}

/// Converts the pictures that the fake NVENC received to planar pictures, which ffmpeg writes.
std::string planar(const std::vector<FakePicture>& pictures) {
  std::string all;
  for (const FakePicture& picture : pictures) {
    all.append(picture.luma.begin(), picture.luma.end());
    for (const std::size_t component : {0U, 1U})
      for (std::size_t i = component; i < picture.chroma.size(); i += 2)
        all.push_back(static_cast<char>(picture.chroma[i]));
  }
  return all;
}

class NvencJob : public testing::Test {
 protected:
  void SetUp() override {
    become({});
    detector_.model = fs::path(FACEPIPE_SOURCE_DIR) / "data/fetched/models/centerface.onnx";
    if (!fs::exists(detector_.model)) GTEST_SKIP() << "no model";
    ffmpeg(
        "-f lavfi -i testsrc2=s=320x240:r=25:d=1.2 -f lavfi -i sine=d=1.2 -c:v libx264 "
        "-pix_fmt yuv420p -c:a aac -shortest",
        folder_ / "clip.mp4");
    options_.input.name = (folder_ / "clip.mp4").string();
    options_.output.path = folder_ / "out.mp4";
    options_.overlay = {false, false, false, true};
  }
  void TearDown() override { EXPECT_THAT(problems(), IsEmpty()); }

  pipeline::JobResult run() {
    const auto backend = pipeline::make_cuda_backend({DeviceKind::cuda, 0}, detector_);
    return pipeline::run_job(options_, *backend, {}, {});
  }

  void expect_refused(ErrorKind kind, const char* reason) {
    const std::vector<std::string> before = folder_.names();
    try {
      static_cast<void>(run());
      FAIL() << "no exception";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      EXPECT_THAT(error.what(), AllOf(HasSubstr(reason), testing::Not(HasSubstr("\n"))));
    }
    EXPECT_EQ(folder_.names(), before);
  }

  TemporaryFolder folder_;
  detector::DetectorOptions detector_;
  pipeline::JobOptions options_;
};

std::int64_t bytes_of(const pipeline::JobResult& result, const std::string& kind) {
  for (const pipeline::CopySum& copy : result.resources.copies)
    if (copy.kind == kind) return copy.bytes;
  return -1;
}

TEST_F(NvencJob, AnnotatedFramesGoToNvencAndItsPacketsIntoTheFile) {
  become(chip_with_real_packets());
  const pipeline::JobResult result = run();
  EXPECT_EQ(result.codecs.encoder, "h264_nvenc") << "unasked";
  EXPECT_THAT(result.notices, IsEmpty());
  EXPECT_TRUE(result.ledger.intact());
  EXPECT_EQ(result.ledger.written, kFrames);
  EXPECT_EQ(bytes_of(result, "surface"), kFrames * kSize.width * kSize.height * 3 / 2);
  EXPECT_EQ(bytes_of(result, "download"), 0);
  EXPECT_GT(bytes_of(result, "bitstream"), 0);
  EXPECT_EQ(video_stamps(options_.output.path), video_stamps(options_.input.name));
  EXPECT_EQ(streams_of(probe(options_.output.path), "audio").size(), 1U);
  const std::string decoded = decoded_pictures(options_.output.path);
  ASSERT_EQ(decoded.size(), std::size_t{kFrames} * kSize.width * kSize.height * 3 / 2);
  for (int i = 0; i < kFrames; ++i)  // each picture is lighter than the one before, so their order
                                     // can be checked
    EXPECT_NEAR(static_cast<std::uint8_t>(decoded[static_cast<std::size_t>(i) * 115'200]),
                40 + 5 * i, 3);

  const std::string had = planar(sessions().back().pictures);
  options_.output.path = folder_ / "reference.mp4";
  options_.output.encoder = {"libx264", "ultrafast", {}, {{"qp", "0"}}};
  const pipeline::JobResult reference = run();
  EXPECT_EQ(reference.codecs.encoder, "libx264");
  EXPECT_TRUE(had == decoded_pictures(options_.output.path)) << "the annotated pictures";
  EXPECT_FALSE(had == decoded_pictures(options_.input.name)) << "or nothing was annotated";
}

TEST_F(NvencJob, AChipWithoutItLeavesEncodingToTheCpuAndSaysSo) {
  become({.has_nvenc = false});
  const pipeline::JobResult result = run();
  EXPECT_EQ(result.codecs.encoder, "libx264");
  EXPECT_EQ(result.ledger.written, kFrames);
  EXPECT_THAT(result.notices, Contains(AllOf(HasSubstr("encoded by libx264 because h264_nvenc"),
                                             HasSubstr("unsupported device"))));
  EXPECT_THAT(result.notices, Contains(HasSubstr("pictures are copied to the host")));
  EXPECT_EQ(bytes_of(result, "surface"), 0);
  EXPECT_GT(bytes_of(result, "download"), 0);
}

TEST_F(NvencJob, WhatIsNamedIsRefusedBeforeThereIsAFile) {
  become({.has_nvenc = false});
  for (const char* name : {"h264_nvenc", "hevc_nvenc"}) {
    options_.output.encoder.codec = name;
    expect_refused(ErrorKind::device, "unsupported device");
  }
  become({});
  options_.output.encoder = {"h264_nvenc", "medium", {}, {}};
  expect_refused(ErrorKind::usage, "no preset \"medium\"");
}

TEST_F(NvencJob, DeeperPicturesNeedLeave) {
  ffmpeg("-f lavfi -i testsrc2=s=320x240:r=25:d=1.2 -pix_fmt yuv420p10le -c:v libx264",
         folder_ / "deep.mp4");
  options_.input.name = (folder_ / "deep.mp4").string();
  options_.output.encoder.codec = "h264_nvenc";
  expect_refused(ErrorKind::output, "--allow-8bit");
  become(chip_with_real_packets());
  options_.output.allow_8bit = true;
  EXPECT_EQ(run().ledger.written, kFrames);
  EXPECT_EQ(sessions().back().format, NV_ENC_BUFFER_FORMAT_NV12);
}

}  // namespace
}  // namespace facepipe::test
