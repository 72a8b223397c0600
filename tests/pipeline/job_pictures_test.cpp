// These tests check the small pictures that a job makes of what its encoder gets.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;

class JobPictures : public testing::Test {
 protected:
  JobPictures() {
    // The first second is white, and the rest is black. There is one key frame.
    ffmpeg(
        "-f lavfi -i color=white:s=640x360:r=25:d=1 -f lavfi -i color=black:s=640x360:r=25:d=3 "
        "-filter_complex concat -c:v libx264 -preset ultrafast -g 1000 -sc_threshold 0",
        clip_);
  }

  std::vector<video::PreviewPicture> pictures_of(const pipeline::JobOptions& options) {
    std::vector<video::PreviewPicture> pictures;
    pipeline::JobObserver observer;
    observer.picture = [&](video::PreviewPicture picture) {
      pictures.push_back(std::move(picture));
    };
    const auto backend = fake_backend();
    (void)pipeline::run_job(options, *backend, observer, {});
    return pictures;
  }

  /// Returns the luma of a picture, as ffmpeg decodes the JPEG.
  [[nodiscard]] std::string luma_of(const video::PreviewPicture& picture) const {
    const auto* const bytes = reinterpret_cast<const char*>(picture.jpeg.data());
    return decoded_luma(dir_.write("picture.jpg", {bytes, picture.jpeg.size()}));
  }

  TemporaryFolder dir_;
  const fs::path clip_ = dir_ / "clip.mp4";
};

TEST_F(JobPictures, AreSpreadOverTheVideoAlsoWithOneKeyFrame) {
  const auto pictures = pictures_of(default_job(clip_, dir_ / "out.mp4"));
  // Each is the first frame at or after (i + 0.5) * 4 s / 6, but the first one is the first frame.
  const std::vector<double> times{0, 1.0, 1.68, 2.36, 3.0, 3.68};
  ASSERT_EQ(pictures.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(pictures[i].time_s, times[i], 0.001);
    EXPECT_EQ(pictures[i].size, (Size{320, 180}));
    const std::string luma = luma_of(pictures[i]);
    ASSERT_EQ(luma.size(), std::size_t{320 * 180});
    const bool white = static_cast<unsigned char>(luma[luma.size() / 2]) > 128;
    EXPECT_EQ(white, times[i] < 1) << times[i];
  }
}

TEST_F(JobPictures, ShowWhatIsHiddenAsTheOutputDoes) {
  pipeline::JobOptions options = default_job(clip_, dir_ / "out.mp4");
  options.hide.emplace().regions.all_hidden.push_back({});
  const auto pictures = pictures_of(options);
  ASSERT_EQ(pictures.size(), 6U);
  const std::string luma = luma_of(pictures.front());  // it was white
  EXPECT_TRUE(std::ranges::all_of(
      luma, [](char sample) { return static_cast<unsigned char>(sample) < 24; }));
}

TEST_F(JobPictures, AreOfTheChosenRange) {
  pipeline::JobOptions options = default_job(clip_, dir_ / "out.mp4");
  options.input.start_s = 1;
  options.input.end_s = 2.2;
  const auto pictures = pictures_of(options);
  ASSERT_EQ(pictures.size(), 6U);
  EXPECT_NEAR(pictures.back().time_s, 1.12, 0.001);  // at or after 5.5 * 1.2 s / 6
}

TEST_F(JobPictures, AreNotMadeWithoutOneEncoderForAllFrames) {
  EXPECT_TRUE(pictures_of(default_job(clip_, "")).empty());
  ffmpeg("-i " + clip_.string() + " -c:v mjpeg", dir_ / "intra.mkv");
  pipeline::JobOptions options = default_job(dir_ / "intra.mkv", dir_ / "out.mkv");
  options.output.encoder.codec = "mjpeg";
  options.resources.lanes = 2;
  EXPECT_TRUE(pictures_of(options).empty());
}

}  // namespace
}  // namespace facepipe::test
