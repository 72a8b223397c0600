// These tests check the small pictures that are made of a finished video.
#include "video/write/preview_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string_view>

#include "core/error.h"
#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::video {
namespace {

using test::TemporaryFolder;

class PreviewPictures : public testing::Test {
 protected:
  std::string clip(const std::string& name, const std::string& options) {
    test::ffmpeg(options, dir_ / name);
    return dir_ / name;
  }
  /// Returns the luma of a picture's pixels, decoded by the ffmpeg command.
  std::string luma_of(const PreviewPicture& picture) {
    const std::string_view bytes(reinterpret_cast<const char*>(picture.jpeg.data()),
                                 picture.jpeg.size());
    return test::decoded_luma(dir_.write("picture.jpg", bytes));
  }

  TemporaryFolder dir_;
};

TEST_F(PreviewPictures, AreSpreadOverTheVideo) {
  const std::string file =
      clip("a.mp4", "-f lavfi -i testsrc2=s=640x360:r=25:d=2 -c:v libx264 -preset ultrafast -g 5");
  const std::vector<PreviewPicture> pictures =
      preview_pictures(file, {.time = std::chrono::hours(1)}, {});
  ASSERT_EQ(pictures.size(), 6U);
  for (std::size_t i = 1; i < pictures.size(); ++i) {
    EXPECT_GE(pictures[i].time_s, (static_cast<double>(i) + 0.4) / 3);
    EXPECT_LE(pictures[i].time_s, (static_cast<double>(i) + 1) / 3);
    EXPECT_EQ(pictures[i].size, (Size{320, 180}));
    EXPECT_EQ(luma_of(pictures[i]).size(), 320U * 180U);
    EXPECT_LT(pictures[i].jpeg.size(), 40000U);
  }
}

TEST_F(PreviewPictures, OfALongVideoAreFromKeyFrames) {
  const std::string file =
      clip("a.mkv", "-f lavfi -i testsrc2=s=64x48:r=5:d=60 -c:v libx264 -preset ultrafast -g 50");
  const std::vector<PreviewPicture> pictures =
      preview_pictures(file, {.time = std::chrono::hours(1)}, {});
  ASSERT_EQ(pictures.size(), 6U);
  for (const PreviewPicture& picture : pictures)
    EXPECT_NEAR(picture.time_s / 10, std::round(picture.time_s / 10), 1e-3) << picture.time_s;
  EXPECT_EQ(pictures[0].size, (Size{64, 48})) << "small pictures stay as they are";
}

TEST_F(PreviewPictures, AreUprightWithSquarePixels) {
  const std::string file = clip(
      "a.mp4",
      "-f lavfi -i color=gray:s=320x180:r=25:d=0.2 -vf setsar=2 -c:v libx264 -preset ultrafast");
  test::mark_turned(file);
  const std::vector<PreviewPicture> pictures = preview_pictures(file, {}, {});
  ASSERT_FALSE(pictures.empty());
  EXPECT_EQ(pictures[0].size, (Size{90, 320}));
}

TEST_F(PreviewPictures, OfAPictureAreOne) {
  const std::string file = clip("a.png", "-f lavfi -i color=red:s=500x250:d=1 -frames:v 1");
  const std::vector<PreviewPicture> pictures = preview_pictures(file, {}, {});
  ASSERT_EQ(pictures.size(), 1U);
  EXPECT_EQ(pictures[0].size, (Size{320, 160}));
  const std::string luma = luma_of(pictures[0]);
  EXPECT_NEAR(static_cast<unsigned char>(luma[luma.size() / 2]), 76, 8) << "the luma of red";
}

TEST_F(PreviewPictures, EndWhenTheTimeIsOver) {
  const std::string file =
      clip("a.mp4", "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v libx264 -preset ultrafast -g 250");
  EXPECT_EQ(preview_pictures(file, {.time = Clock::duration(0)}, {}).size(), 1U);
}

TEST_F(PreviewPictures, OfWhatIsNoVideoAreAnError) {
  EXPECT_THROW(static_cast<void>(preview_pictures(dir_.write("a.mp4", "no video"), {}, {})), Error);
  EXPECT_THROW(static_cast<void>(preview_pictures(dir_ / "missing.mp4", {}, {})), Error);
}

}  // namespace
}  // namespace facepipe::video
