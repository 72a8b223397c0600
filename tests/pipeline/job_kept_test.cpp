// These tests check what a run must keep of the video: every frame, every time stamp, every sample.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>
#include <utility>

#include "tests/support/clips.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

constexpr const char* kPattern = "-f lavfi -i testsrc2=s=320x180:r=25:d=1 ";

/// Describes a clip that ffmpeg makes, and the output that facepipe makes of it.
struct ClipCase {
  const char* name;
  std::string arguments;
  const char* input;
  const char* output;
  const char* codec = "";  // x264 with qp 0 changes a few samples of interlaced pictures, so some
                           // cases need another codec
};

void PrintTo(const ClipCase& c, std::ostream* stream) { *stream << c.name; }

class KeptClip : public testing::TestWithParam<ClipCase> {
 protected:
  void SetUp() override {
    ffmpeg(GetParam().arguments, input());
    if (std::string_view(GetParam().name) == "turned") mark_turned(input());
  }
  [[nodiscard]] std::filesystem::path input() const { return folder_ / GetParam().input; }
  [[nodiscard]] std::filesystem::path output() const { return folder_ / GetParam().output; }

  [[nodiscard]] pipeline::JobOptions job() const {
    pipeline::JobOptions options = lossless_job(input(), output());
    if (*GetParam().codec != 0) options.output.encoder = {GetParam().codec, "", {}, {}};
    return options;
  }

  TemporaryFolder folder_;
};

std::vector<Stamp> rounded_to_ms(const std::vector<Stamp>& stamps) {
  std::vector<Stamp> result;
  for (const Stamp& s : stamps) {
    const auto ms = std::llround(static_cast<double>(s.num) * 1000 / static_cast<double>(s.den));
    const std::int64_t divisor = std::gcd<std::int64_t>(ms, 1000);
    result.push_back({ms / divisor, 1000 / divisor});
  }
  return result;
}

TEST_P(KeptClip, EveryFrameStampAndSample) {
  const JobRun run = run_fake_job(job());
  const std::vector<Stamp> before = video_stamps(input());
  EXPECT_EQ(run.result.ledger.packets, static_cast<std::int64_t>(before.size()));
  EXPECT_EQ(run.result.ledger.decoded, run.result.ledger.packets);
  EXPECT_EQ(run.result.ledger.written, run.result.ledger.packets);
  EXPECT_TRUE(run.result.ledger.intact());
  const bool milliseconds = output().extension() == ".mkv";
  EXPECT_EQ(video_stamps(output()), milliseconds ? rounded_to_ms(before) : before);
  EXPECT_EQ(decoded_pictures(output()), decoded_pictures(input()));
}

TEST_P(KeptClip, RecordsTellEveryFrameInOrder) {
  const JobRun run = run_fake_job(job());
  const std::vector<Stamp> stamps = video_stamps(input());
  ASSERT_EQ(run.records.size(), stamps.size());
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    EXPECT_EQ(run.records[i].index, static_cast<std::int64_t>(i));
    EXPECT_NEAR(run.records[i].pts_s,
                static_cast<double>(stamps[i].num) / static_cast<double>(stamps[i].den), 1e-9);
  }
}

std::string x264(const std::string& more = "") {
  return kPattern + std::string("-c:v libx264 -preset ultrafast ") + more;
}
const std::string kVariable =
    std::string(kPattern) +
    "-vf settb=1/1000,setpts='PTS+mod(N,3)*11' -fps_mode vfr -enc_time_base "
    "1/1000 -c:v libx264 -bf 2 ";

INSTANTIATE_TEST_SUITE_P(
    Clips, KeptClip,
    testing::Values(
        ClipCase{"mp4", x264(), "in.mp4", "out.mp4"},
        ClipCase{"b_frames", std::string(kPattern) + "-c:v libx264 -preset medium -bf 3", "in.mp4",
                 "out.mp4"},
        ClipCase{"b_frames_mkv", std::string(kPattern) + "-c:v libx264 -preset medium -bf 3",
                 "in.mkv", "out.mkv"},
        ClipCase{"mp4_to_mkv", x264(), "in.mp4", "out.mkv"},
        ClipCase{"mkv_to_mp4", x264(), "in.mkv", "out.mp4"},
        ClipCase{"mov", x264(), "in.mov", "out.mov"},
        ClipCase{"ntsc_rate", x264("-r 30000/1001"), "in.mp4", "out.mp4"},
        ClipCase{"variable_rate_mp4", kVariable, "in.mp4", "out.mp4"},
        ClipCase{"variable_rate_mkv", kVariable, "in.mkv", "out.mkv"},
        ClipCase{"variable_rate_mp4_to_mkv", kVariable, "in.mp4", "out.mkv"},
        ClipCase{"starts_late", x264("-output_ts_offset 3.2"), "in.mp4", "out.mp4"},
        ClipCase{"transport_stream", x264(), "in.ts", "out.ts"},
        ClipCase{"ten_bits", x264("-pix_fmt yuv420p10le"), "in.mp4", "out.mp4"},
        ClipCase{"four_two_two", x264("-pix_fmt yuv422p"), "in.mp4", "out.mp4"},
        ClipCase{"four_four_four", x264("-pix_fmt yuv444p"), "in.mkv", "out.mkv"},
        ClipCase{"hevc", std::string(kPattern) + "-c:v libx265 -x265-params log-level=error",
                 "in.mp4", "out.mp4"},
        ClipCase{"hevc_ten_bits",
                 std::string(kPattern) +
                     "-c:v libx265 -pix_fmt yuv420p10le -x265-params log-level=error",
                 "in.mkv", "out.mkv"},
        ClipCase{
            "interlaced",
            "-f lavfi -i testsrc2=s=320x192:r=50:d=1 -vf interlace -c:v libx264 -flags +ilme+ildct",
            "in.mp4", "out.mp4"},
        ClipCase{"mpeg2_interlaced",
                 "-f lavfi -i testsrc2=s=320x192:r=25:d=1 -c:v mpeg2video -flags +ilme+ildct -bf 2",
                 "in.ts", "out.mkv", "ffv1"},
        ClipCase{"odd_height_444",
                 "-f lavfi -i testsrc2=s=321x181:r=25:d=1 -c:v libx264 -pix_fmt yuv444p", "in.mp4",
                 "out.mp4"},
        ClipCase{"tiny", "-f lavfi -i testsrc2=s=18x32:r=25:d=1 -c:v libx264", "in.mp4", "out.mp4"},
        ClipCase{"not_a_multiple_of_sixteen",
                 "-f lavfi -i testsrc2=s=1242x710:r=25:d=0.2 -c:v libx264", "in.mp4", "out.mp4"},
        ClipCase{"turned", x264(), "in.mp4", "out.mp4"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(KeptTags, ColourAspectAndRate) {
  const TemporaryFolder folder;
  ffmpeg(
      std::string(kPattern) +
          "-vf format=yuv420p10le,setsar=4/3,setparams=range=tv:color_primaries=bt2020:color_trc="
          "smpte2084:colorspace=bt2020nc -c:v libx264 -preset ultrafast -color_primaries bt2020 "
          "-color_trc smpte2084 -colorspace bt2020nc -color_range tv -chroma_sample_location "
          "topleft",
      folder / "in.mp4");
  run_fake_job(lossless_job(folder / "in.mp4", folder / "out.mp4"));
  const auto before = streams_of(probe(folder / "in.mp4"), "video").at(0);
  const auto after = streams_of(probe(folder / "out.mp4"), "video").at(0);
  for (const char* key : {"color_range", "color_space", "color_transfer", "color_primaries",
                          "chroma_location", "sample_aspect_ratio", "display_aspect_ratio",
                          "avg_frame_rate", "pix_fmt", "width", "height", "time_base"})
    EXPECT_EQ(after.at(key), before.at(key)) << key;
}

TEST(KeptTags, FieldOrder) {
  const TemporaryFolder folder;
  for (const char* order : {"tff", "bff"}) {
    ffmpeg("-f lavfi -i testsrc2=s=320x192:r=50:d=0.4 -vf interlace=scan=" + std::string(order) +
               " -c:v libx264 -flags +ilme+ildct",
           folder / "in.mp4");
    run_fake_job(lossless_job(folder / "in.mp4", folder / "out.mp4"));
    const auto before = streams_of(probe(folder / "in.mp4"), "video").at(0);
    const auto after = streams_of(probe(folder / "out.mp4"), "video").at(0);
    EXPECT_EQ(after.value("field_order", ""), before.value("field_order", "")) << order;
  }
}

// By default, FFmpeg's decoders don't crop exactly at the left edge: they round the edge's position
// down to an aligned column.
TEST(KeptCropping, IsExactAtEveryEdge) {
  const TemporaryFolder folder;
  const auto input = folder / "in.mp4";
  ffmpeg(std::string(kPattern) + "-c:v libx264 -pix_fmt yuv420p -x264-params crop-rect=6,2,4,8",
         input);
  ffmpeg("-flags2 +ignorecrop -i " + input.string() + " -vf crop=310:170:6:2 -f rawvideo",
         folder / "expected.yuv");
  const JobRun run = run_fake_job(lossless_job(input, folder / "out.mkv"));
  EXPECT_EQ(run.result.size, (Size{310, 170}));
  std::ifstream expected(folder / "expected.yuv", std::ios::binary);
  EXPECT_TRUE(decoded_pictures(folder / "out.mkv") ==
              std::string(std::istreambuf_iterator<char>(expected), {}));
}

TEST(KeptDurations, OfEveryPacket) {
  const TemporaryFolder folder;
  ffmpeg(kVariable, folder / "in.mp4");
  const std::vector<Stamp> stamps = video_stamps(folder / "in.mp4");
  ASSERT_THAT(stamps, testing::IsSupersetOf({Stamp{0, 1}, Stamp{51, 1000}, Stamp{51, 500}}))
      << "the clip has no variable frame rate";
  run_fake_job(lossless_job(folder / "in.mp4", folder / "out.mp4"));
  // With x264, packets have no durations, so each frame lasts until the next one.
  std::map<std::int64_t, std::int64_t> durations;
  const nlohmann::json probed = probe(folder / "out.mp4");
  for (const auto& packet : probed.at("packets"))
    durations[packet.at("pts")] = packet.value("duration", std::int64_t{0});
  ASSERT_EQ(durations.size(), stamps.size());
  for (auto next = std::next(durations.begin()), last = durations.begin(); next != durations.end();
       last = next++)
    EXPECT_EQ(last->second, next->first - last->first) << last->first;
  EXPECT_GT(durations.rbegin()->second, 0);
}

TEST(Rotation, DetectionSeesTheUprightPictureAndTheTagIsKept) {
  const TemporaryFolder folder;
  ffmpeg(x264(), folder / "in.mp4");
  mark_turned(folder / "in.mp4");
  FakeBehaviour behaviour;
  Size seen;
  behaviour.on_prepare = [&](const Frame& frame) { seen = frame.upright(); };
  run_fake_job(lossless_job(folder / "in.mp4", folder / "out.mp4"), behaviour);
  EXPECT_EQ(seen, (Size{180, 320}));
  const auto after = streams_of(probe(folder / "out.mp4"), "video").at(0);
  EXPECT_EQ(after.at("width"), 320);
  const auto before = streams_of(probe(folder / "in.mp4"), "video").at(0);
  EXPECT_EQ(std::abs(before.at("side_data_list").at(0).at("rotation").get<int>()), 90);
  EXPECT_EQ(after.at("side_data_list").at(0).at("rotation"),
            before.at("side_data_list").at(0).at("rotation"));
}

TEST(Rotation, IsAppliedToThePixelsWhereTheContainerHasNoTag) {
  const TemporaryFolder folder;
  ffmpeg(x264("-vf setsar=2/1"), folder / "in.mp4");
  mark_turned(folder / "in.mp4");
  const JobRun run = run_fake_job(lossless_job(folder / "in.mp4", folder / "out.avi"));
  const auto after = streams_of(probe(folder / "out.avi"), "video").at(0);
  EXPECT_EQ(after.at("width"), 180);
  EXPECT_EQ(after.at("height"), 320);
  EXPECT_EQ(after.value("sample_aspect_ratio", ""), "1:2");
  EXPECT_THAT(run.result.notices, testing::Contains(testing::HasSubstr("rotation applied")));
  // The expected pictures are turned by the ffmpeg command.
  ffmpeg("-i " + (folder / "in.mp4").string() + " -c:v libx264 -qp 0", folder / "turned.mkv");
  EXPECT_EQ(decoded_pictures(folder / "out.avi"), decoded_pictures(folder / "turned.mkv"));
}

TEST(Drawing, ChangesNothingElsewhere) {
  const TemporaryFolder folder;
  ffmpeg(x264(), folder / "in.mp4");
  pipeline::JobOptions options = lossless_job(folder / "in.mp4", folder / "out.mp4");
  options.overlay.boxes = true;
  const Box box{100, 60, 180, 140};
  FakeBehaviour behaviour;
  behaviour.candidates = one_face(box);
  const JobRun run = run_fake_job(options, behaviour);
  EXPECT_EQ(run.result.counts.faces, 25);
  const std::string before = decoded_pictures(folder / "in.mp4");
  const std::string after = decoded_pictures(folder / "out.mp4");
  ASSERT_EQ(before.size(), after.size());
  constexpr std::size_t kLuma = 320 * 180;
  constexpr std::size_t kPicture = kLuma * 3 / 2;
  constexpr int kMargin = 4;  // line's width, rounded to whole chroma cells
  std::size_t changed = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == after[i]) continue;
    ++changed;
    const std::size_t at = i % kPicture;
    const bool luma = at < kLuma;
    const std::size_t in_chroma = (at - kLuma) % (kLuma / 4);
    const auto x = static_cast<int>(luma ? at % 320 : in_chroma % 160 * 2);
    const auto y = static_cast<int>(luma ? at / 320 : in_chroma / 160 * 2);
    const bool in_frame =
        x >= 100 - kMargin && x < 180 + kMargin && y >= 60 - kMargin && y < 140 + kMargin;
    const bool inside =
        x >= 100 + kMargin && x < 180 - kMargin && y >= 60 + kMargin && y < 140 - kMargin;
    ASSERT_TRUE(in_frame && !inside) << x << "," << y;
  }
  EXPECT_GT(changed, 25U * 4 * 70);
}

TEST(SizeLimits, IgnoreFacesOutsideThem) {
  const TemporaryFolder folder;
  ffmpeg(x264("-frames:v 2"), folder / "in.mp4");
  FakeBehaviour behaviour;
  behaviour.candidates.push_back({0, 0, 10, 20}, 0.9F, {});
  behaviour.candidates.push_back({50, 50, 90, 90}, 0.9F, {});
  behaviour.candidates.push_back({100, 0, 300, 100}, 0.9F, {});
  pipeline::JobOptions options = lossless_job(folder / "in.mp4", "");
  options.search.min_face = 11;
  options.search.max_face = 199;
  const JobRun run = run_fake_job(options, behaviour);
  ASSERT_EQ(run.records.size(), 2U);
  EXPECT_EQ(run.records[0].candidates, 3U);
  ASSERT_EQ(run.records[0].faces.size(), 1U);
  EXPECT_EQ(run.records[0].faces.boxes[0], (Box{50, 50, 90, 90}));
}

TEST(Range, TakesFramesFromStartToEndAndBeginsAtZero) {
  const TemporaryFolder folder;
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x64:r=10:d=4 -f lavfi -i sine=d=4 -c:v libx264 -g 15 -bf 2 -c:a "
      "aac",
      folder / "in.mp4");
  pipeline::JobOptions options = lossless_job(folder / "in.mp4", folder / "out.mp4");
  options.input.start_s = 1.2;
  options.input.end_s = 2.5;
  const JobRun run = run_fake_job(options);
  EXPECT_EQ(run.result.ledger.packets, 13);
  EXPECT_EQ(run.result.ledger.written, 13);
  EXPECT_TRUE(run.result.ledger.intact());
  EXPECT_NEAR(run.records.front().pts_s, 1.2, 1e-6);
  EXPECT_NEAR(run.records.back().pts_s, 2.4, 1e-6);
  EXPECT_EQ(video_stamps(folder / "out.mp4").front(), (Stamp{0, 1}));
  EXPECT_EQ(video_stamps(folder / "out.mp4").back(), (Stamp{6, 5}));
  const auto audio = streams_of(probe(folder / "out.mp4"), "audio").at(0);
  EXPECT_NEAR(std::stod(audio.at("duration").get<std::string>()), 1.3, 0.05);
}

/// Returns the number of clusters of a Matroska file, and how many of them begin with a checksum
/// (RFC 8794, 11.3.1).
std::pair<int, int> clusters_and_checksums(const std::string& file) {
  constexpr std::string_view kCluster = "\x1F\x43\xB6\x75";
  constexpr char kCrc32 = '\xBF';
  std::pair<int, int> counts;
  for (std::size_t at = 0; (at = file.find(kCluster, at)) != std::string::npos; ++at) {
    ++counts.first;
    const std::size_t length = at + kCluster.size();
    const int length_bytes = std::countl_zero(static_cast<std::uint8_t>(file.at(length))) + 1;
    if (file.at(length + static_cast<std::size_t>(length_bytes)) == kCrc32) ++counts.second;
  }
  return counts;
}

TEST(Checksums, AreLeftOutOfMotionJpegAlone) {
  const TemporaryFolder folder;
  ffmpeg(kPattern + std::string("-c:v libx264"), folder / "clip.mp4");
  for (const std::string codec : {"mjpeg", "libx264"}) {
    pipeline::JobOptions options = lossless_job(folder / "clip.mp4", folder / (codec + ".mkv"));
    options.output.encoder = {codec, "", {}, {}};
    run_fake_job(options);
    const auto [clusters, checksums] = clusters_and_checksums(read_file(options.output.path));
    EXPECT_GT(clusters, 0) << codec;
    EXPECT_EQ(checksums, codec == "mjpeg" ? 0 : clusters) << codec;
  }
}

TEST(StillImage, GoesOutInTheFormatItCameIn) {
  const TemporaryFolder folder;
  struct Case {
    const char* name;
    const char* pixel_format;
    bool exact;
  };
  for (const Case& c :
       {Case{"a.png", "rgb24", true}, Case{"b.png", "rgba", true}, Case{"c.png", "rgb48be", true},
        Case{"d.jpg", "yuvj420p", false}, Case{"e.jpg", "yuvj444p", false},
        Case{"f.bmp", "bgr24", true}, Case{"g.tiff", "rgb24", true}}) {
    const auto input = folder / c.name;
    const auto output = folder / ("out" + input.extension().string());
    ffmpeg("-f lavfi -i testsrc2=s=321x181:d=1:r=1 -frames:v 1 -pix_fmt " +
               std::string(c.pixel_format),
           input);
    const JobRun run = run_fake_job(default_job(input, output));
    EXPECT_EQ(run.result.ledger.written, 1) << c.name;
    const auto before = streams_of(probe(input), "video").at(0);
    const auto after = streams_of(probe(output), "video").at(0);
    EXPECT_EQ(after.at("codec_name"), before.at("codec_name")) << c.name;
    EXPECT_EQ(after.at("pix_fmt"), before.at("pix_fmt")) << c.name;
    if (c.exact) {
      EXPECT_EQ(decoded_pictures(output), decoded_pictures(input)) << c.name;
    }
  }
}

}  // namespace
}  // namespace facepipe::test
