#include "video/frames/letterbox.h"

#include <gtest/gtest.h>

#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"
#include "video/read/frame_source.h"

namespace facepipe::test {
namespace {

constexpr Size kCell{2, 4};

TEST(Letterbox, B15KeepsTheShapeOfPictures) {
  EXPECT_EQ(video::letterbox({{1080, 1920}}, {{1920, 1080}}, kCell),
            (video::PictureArea{656, 0, {608, 1080}}));
  EXPECT_EQ(video::letterbox({{1920, 1080}}, {{1080, 1920}}, kCell),
            (video::PictureArea{0, 656, {1080, 608}}));
  EXPECT_EQ(video::letterbox({{320, 240}}, {{640, 360}}, kCell),
            (video::PictureArea{80, 0, {480, 360}}));
  // Here, pixels are twice as wide as high.
  EXPECT_EQ(video::letterbox({{320, 480}, {2, 1}}, {{640, 360}}, kCell),
            (video::PictureArea{80, 0, {480, 360}}));
  EXPECT_EQ(video::letterbox({{320, 240}}, {{320, 360}, {2, 1}}, kCell),
            (video::PictureArea{40, 0, {240, 360}}));
}

TEST(Letterbox, FillsWhatHasNearlyTheShape) {
  EXPECT_EQ(video::letterbox({{854, 480}}, {{1280, 720}}, kCell),
            (video::PictureArea{0, 0, {1280, 720}}));
  EXPECT_EQ(video::letterbox({{640, 361}}, {{1281, 721}}, kCell),
            (video::PictureArea{0, 0, {1281, 721}}));
  EXPECT_EQ(video::letterbox({{640, 480}}, {{1, 1}}, kCell), (video::PictureArea{0, 0, {1, 1}}));
}

TEST(Letterbox, LiesWithinPicturesOfAnySize) {
  for (int width = 1; width < 70; width += 3)
    for (int height = 1; height < 70; height += 3)
      for (const Size from : {Size{1, 32000}, Size{32000, 1}, Size{16, 9}, Size{9, 16}}) {
        const video::PictureArea area = video::letterbox({from}, {{width, height}}, kCell);
        EXPECT_TRUE(area.x >= 0 && area.y >= 0 && area.size.width > 0 && area.size.height > 0);
        EXPECT_LE(area.x + area.size.width, width);
        EXPECT_LE(area.y + area.size.height, height);
        EXPECT_EQ(area.x % kCell.width, 0);
        EXPECT_EQ(area.y % kCell.height, 0);
      }
}

/// Returns a luma sample of an upright frame.
int luma_at(const Frame& frame, int x, int y) {
  return std::to_integer<int>(frame.planes[0].data[y * frame.planes[0].stride + x]);
}

// A portrait follows a landscape, and both are white. The portrait must get black bars on both
// sides, and must not be stretched.
TEST(Letterbox, B15APortraitPartBehindALandscapeOneIsNotSquashed) {
  const TemporaryFolder folder;
  std::string both;
  for (const char* const size : {"128x64", "64x128"}) {
    ffmpeg("-f lavfi -i color=white:s=" + std::string(size) + ":r=5:d=0.4 -c:v libx264 -f h264",
           folder / "part.264");
    both += read_file(folder / "part.264");
  }
  video::Notices notices("both");
  video::FrameSource source(folder.write("both.264", both), {}, notices, {});
  int portraits = 0;
  while (const std::optional<video::DecodedFrame> decoded = source.next()) {
    const Frame& frame = decoded->frame;
    ASSERT_EQ(frame.size, (Size{128, 64}));
    EXPECT_GT(luma_at(frame, 64, 1), 200);
    EXPECT_GT(luma_at(frame, 64, 62), 200);
    if (luma_at(frame, 0, 0) > 200) continue;
    ++portraits;
    for (const int x : {0, 40, 46, 80, 127}) EXPECT_EQ(luma_at(frame, x, 32), 16) << x;
    for (const int x : {50, 77}) EXPECT_GT(luma_at(frame, x, 32), 200) << x;
  }
  EXPECT_EQ(portraits, 2);
}

}  // namespace
}  // namespace facepipe::test
