// These tests read pictures with and without alpha that the ffmpeg command has written.
#include "video/read/rgba_image.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

class RgbaImageTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }
  TemporaryFolder folder_;
};

TEST_F(RgbaImageTest, HasTheFilesPixels) {
  ffmpeg("-f lavfi -i testsrc=s=37x23,format=rgba,colorchannelmixer=aa=0.4 -frames:v 1",
         folder_ / "logo.png");
  const RgbaImage image = video::read_rgba_image(path("logo.png"));
  EXPECT_EQ(image.size, (Size{37, 23}));
  EXPECT_EQ(std::string(image.bytes.begin(), image.bytes.end()),
            decoded_pictures(folder_ / "logo.png"));
  EXPECT_EQ(image.bytes.at(3), 102);  // 0.4 * 255
}

TEST_F(RgbaImageTest, IsOpaqueWithoutAlpha) {
  ffmpeg("-f lavfi -i color=c=red:s=40x30 -frames:v 1", folder_ / "red.jpg");
  const RgbaImage image = video::read_rgba_image(path("red.jpg"));
  ASSERT_EQ(image.size, (Size{40, 30}));
  ASSERT_EQ(image.bytes.size(), 4U * 40 * 30);
  EXPECT_NEAR(image.bytes[0], 255, 3);
  EXPECT_NEAR(image.bytes[1], 0, 3);
  EXPECT_NEAR(image.bytes[2], 0, 3);
  for (std::size_t i = 3; i < image.bytes.size(); i += 4) ASSERT_EQ(image.bytes[i], 255);
}

TEST_F(RgbaImageTest, IsTurnedUpright) {
  // The left half is white, so the upper half is white after a clockwise turn.
  ffmpeg(
      "-f lavfi -i color=c=black:s=64x48,drawbox=w=32:h=48:c=white:t=fill -frames:v 1 -c:v mjpeg",
      folder_ / "turned.mp4");
  mark_turned(folder_ / "turned.mp4");
  const RgbaImage image = video::read_rgba_image(path("turned.mp4"));
  ASSERT_EQ(image.size, (Size{48, 64}));
  const auto red_at = [&](std::size_t x, std::size_t y) {
    return image.bytes.at(4 * (48 * y + x));
  };
  EXPECT_GT(red_at(5, 5), 200);
  EXPECT_GT(red_at(43, 5), 200);
  EXPECT_LT(red_at(5, 59), 50);
}

TEST_F(RgbaImageTest, RefusesWhatIsNoImageOrTooLarge) {
  expect_error(ErrorKind::input, "none.png",
               [&] { (void)video::read_rgba_image(path("none.png")); });
  std::ofstream(folder_ / "text.png") << "not a picture";
  expect_error(ErrorKind::input, "text.png",
               [&] { (void)video::read_rgba_image(path("text.png")); });
  ffmpeg("-f lavfi -i color=s=4098x2 -frames:v 1", folder_ / "wide.png");
  expect_error(ErrorKind::input, "wide.png: the image is 4098x2, its sides may have 4096",
               [&] { (void)video::read_rgba_image(path("wide.png")); });
  ffmpeg("-f lavfi -i sine=d=1", folder_ / "sound.wav");
  expect_error(ErrorKind::input, "sound.wav: has no video stream",
               [&] { (void)video::read_rgba_image(path("sound.wav")); });
}

}  // namespace
}  // namespace facepipe::test
