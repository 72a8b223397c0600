// These tests hide known tracks on the device without a model. The pictures must equal the CPU's.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "core/error.h"
#include "pipeline/cpu/backend.h"
#include "pipeline/cuda/backend.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg.h"

namespace facepipe::test {
namespace {

struct Clip {
  std::string name;
  std::string size;
  Size pixels;
  std::string encoder;  ///< encoder of the input, with its options
};

void PrintTo(const Clip& clip, std::ostream* out) { *out << clip.name; }

constexpr std::int64_t kFrames = 25;

class KnownTracksOnCuda : public testing::TestWithParam<Clip> {
 protected:
  static void SetUpTestSuite() { video::redirect_ffmpeg_log(); }
  KnownTracksOnCuda() {
    ffmpeg("-f lavfi -i testsrc2=s=" + GetParam().size + ":r=25:d=1 -c:v " + GetParam().encoder,
           input());
  }

  [[nodiscard]] std::filesystem::path input() const { return folder_ / "clip.mkv"; }

  /// Returns a job that hides two tracks in all frames except the last one: a face that moves, and
  /// a face across the picture's border with its own style.
  [[nodiscard]] pipeline::JobOptions hiding(const std::string& output) const {
    auto known = std::make_shared<pipeline::KnownTracks>();
    known->name = "t.json";
    known->file.input.size = GetParam().pixels;
    known->file.input.time_base = {1, 1000};
    known->file.input.frames = kFrames - 1;
    track::FileTrack moving;
    moving.end_pts = 40 * kFrames;
    track::FileTrack mosaic = moving;
    mosaic.id = 1;
    mosaic.style = "mosaic";
    for (std::int64_t i = 0; i < kFrames; ++i) {
      const auto x = static_cast<float>(i);
      moving.boxes.push_back({40 * i, {20 + x, 30.5F, 60 + x, 90}, track::BoxState::seen});
      mosaic.boxes.push_back({40 * i, {-20, 5 + x, 31, 45 + x}, track::BoxState::seen});
    }
    known->file.tracks = {moving, mosaic};
    overlay::HideOptions look;
    look.style = overlay::HideStyle::mosaic;
    known->styles.emplace("mosaic", look);
    pipeline::JobOptions options = lossless_job(input(), folder_ / output);
    options.output.encoder = {"ffv1", {}, {}, {}};
    options.hide.emplace().known = std::move(known);
    options.hide->appearance.color = {0.9, 0.2, 0.1};
    return options;
  }

  TemporaryFolder folder_;
};

TEST_P(KnownTracksOnCuda, HideThePixelsThatTheCpuHides) {
  const auto cpu = pipeline::make_cpu_backend(nullptr);
  const auto cuda = pipeline::make_cuda_renderer({DeviceKind::cuda, 0});
  const pipeline::JobResult expected = pipeline::run_job(hiding("cpu.mkv"), *cpu, {}, {});
  const pipeline::JobResult result = pipeline::run_job(hiding("cuda.mkv"), *cuda, {}, {});
  EXPECT_EQ(result.ledger.written, kFrames);
  EXPECT_EQ(result.counts.faces, expected.counts.faces);
  EXPECT_EQ(result.counts.candidates, 0);
  EXPECT_EQ(result.network.size, std::nullopt);
  EXPECT_EQ(result.resources.lanes.count, 1);
  const std::string pictures = decoded_pictures(folder_ / "cuda.mkv");
  EXPECT_TRUE(pictures == decoded_pictures(folder_ / "cpu.mkv"));
  EXPECT_FALSE(pictures == decoded_pictures(input())) << "or nothing was hidden";
  EXPECT_EQ(video_stamps(folder_ / "cuda.mkv"), video_stamps(input()));
}

TEST_P(KnownTracksOnCuda, LookForNothing) {
  const auto cuda = pipeline::make_cuda_renderer({DeviceKind::cuda, 0});
  pipeline::JobOptions options = hiding("out.mkv");
  options.hide->known = nullptr;
  expect_error(ErrorKind::internal, "no detector",
               [&] { static_cast<void>(pipeline::run_job(options, *cuda, {}, {})); });
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.mkv"));
}

INSTANTIATE_TEST_SUITE_P(
    All, KnownTracksOnCuda,
    testing::Values(Clip{"Nvdec", "192x128", {192, 128}, "libx264 -pix_fmt yuv420p"},
                    Clip{"Uploaded", "96x98", {96, 98}, "ffv1 -pix_fmt yuv420p"},
                    Clip{"Deep", "96x98", {96, 98}, "ffv1 -pix_fmt yuv420p10"},
                    Clip{"Odd", "97x99", {97, 99}, "ffv1 -pix_fmt yuv420p"}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace facepipe::test
