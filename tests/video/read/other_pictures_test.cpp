// These tests check which parts of a file can show pictures besides its video.
#include "video/read/other_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"
#include "video/read/frame_source.h"

namespace facepipe::video {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kPicture = "-f lavfi -i testsrc=s=64x48:r=25 -frames:v 1 ";

std::vector<OtherPictures> beside(const std::string& file) {
  return other_pictures(Demuxer(file, {}));
}

TEST(OtherPictures, A5StreamsAndCoversAreListed) {
  const test::TemporaryFolder dir;
  test::ffmpeg(kPicture, dir / "cover.jpg");
  test::ffmpeg("-f lavfi -i testsrc=s=64x48:r=25:d=0.2 -f lavfi -i sine=d=0.2 -i " +
                   std::string(dir / "cover.jpg") +
                   " -map 0 -map 1 -map 0 -map 2 -c:v:2 copy -disposition:v:2 attached_pic",
               dir / "a.mp4");
  const std::vector<OtherPictures> found = beside(dir / "a.mp4");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0].name, StartsWith("stream 2 ("));
  EXPECT_TRUE(found[0].timed);
  EXPECT_EQ(found[1].name, "stream 3 (mjpeg, attached picture)");
  EXPECT_EQ(found[1].stream, 3);
  EXPECT_FALSE(found[1].timed);
}

TEST(OtherPictures, A5AttachmentsGoByTheirBytes) {
  const test::TemporaryFolder dir;
  test::ffmpeg(kPicture, dir / "cover.jpg");
  const std::string font = dir.write("font.ttf", std::string("\0\1\0\0 a font", 11));
  test::ffmpeg(kPicture + std::string("-c:v ffv1 -attach ") + std::string(dir / "cover.jpg") +
                   " -attach " + font +
                   " -metadata:s:t:0 mimetype=application/x-truetype-font"
                   " -metadata:s:t:1 mimetype=application/x-truetype-font",
               dir / "a.mkv");
  const std::vector<OtherPictures> found = beside(dir / "a.mkv");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].name, HasSubstr("attachment cover.jpg"));
  EXPECT_TRUE(found[0].surely);
  EXPECT_EQ(found[0].file.size(), test::read_file(dir / "cover.jpg").size());
}

TEST(OtherPictures, A5PicturesInTagsAreUnreadable) {
  const test::TemporaryFolder dir;
  test::ffmpeg(kPicture + std::string("-c:v ffv1 -metadata METADATA_BLOCK_PICTURE=AAAA"),
               dir / "a.mkv");
  const std::vector<OtherPictures> found = beside(dir / "a.mkv");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "tag METADATA_BLOCK_PICTURE");
  EXPECT_FALSE(found[0].unreadable.empty());
}

TEST(OtherPictures, A5StillImagesAreSearchedForOthers) {
  const test::TemporaryFolder dir;
  test::ffmpeg(kPicture, dir / "a.jpg");
  EXPECT_TRUE(beside(dir / "a.jpg").empty());
  const std::string jpeg = test::read_file(dir / "a.jpg");
  const std::string two = dir.write("two.jpg", jpeg + jpeg);
  ASSERT_EQ(beside(two).size(), 1U);
  EXPECT_EQ(beside(two)[0].file.size(), jpeg.size());
  EXPECT_FALSE(beside(two)[0].surely);
  const std::string photo =
      dir.write("photo.jpg", jpeg + std::string("\0\0\0\x18", 4) + "ftypmp42");
  ASSERT_EQ(beside(photo).size(), 1U);
  EXPECT_EQ(beside(photo)[0].file.size(), 12U);
}

TEST(OtherPictures, A5PagesOfTiffAreUnreadable) {
  const test::TemporaryFolder dir;
  test::ffmpeg(kPicture, dir / "a.tiff");
  std::string tiff = test::read_file(dir / "a.tiff");
  EXPECT_TRUE(beside(dir / "a.tiff").empty());
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::size_t value = 0;
    for (std::size_t i = bytes; i > 0; --i)
      value = value << 8U | static_cast<unsigned char>(tiff.at(at + i - 1));
    return value;
  };
  ASSERT_THAT(tiff, StartsWith("II*"));
  const std::size_t first = number(4, 4);
  tiff.at(first + 2 + 12 * number(first, 2)) = 8;  // offset of the second directory
  const std::string paged = dir.write("paged.tiff", tiff);
  Notices notices("paged.tiff");
  FrameSource source(paged, {}, notices, {});
  while (source.next()) {
  }
  const std::vector<OtherPictures> found = source.other_pictures();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].unreadable, HasSubstr("second picture"));
}

TEST(OtherPictures, A5AnotherStreamsFramesCanBeRead) {
  const test::TemporaryFolder dir;
  test::ffmpeg(kPicture, dir / "cover.jpg");
  test::ffmpeg("-f lavfi -i testsrc=s=96x80:r=25:d=0.2 -i " + std::string(dir / "cover.jpg") +
                   " -map 0 -map 1 -c:v:1 copy -disposition:v:1 attached_pic",
               dir / "a.mp4");
  FrameSourceOptions options;
  options.stream = 1;
  Notices notices("a.mp4");
  FrameSource source(dir / "a.mp4", options, notices, {});
  EXPECT_EQ(source.upright(), (Size{64, 48}));
  int frames = 0;
  while (source.next()) ++frames;
  EXPECT_EQ(frames, 1);
}

TEST(OtherPictures, A5AlphaBesideAPictureIsReadOrNamed) {
  const test::TemporaryFolder dir;
  test::ffmpeg(
      "-f lavfi -i testsrc=s=64x48:r=25 -frames:v 2 -pix_fmt yuva420p -c:v libvpx-vp9 -cpu-used 8"
      " -deadline realtime -auto-alt-ref 0",
      dir / "a.webm");
  // This file's header says that there is no alpha.
  test::ffmpeg("-i " + std::string(dir / "a.webm") + " -c copy -metadata:s:v alpha_mode=0",
               dir / "b.mkv");
  for (const std::string name : {"a.webm", "b.mkv"}) {
    Notices notices(name);
    FrameSource source(dir / name, {}, notices, {});
    bool has_alpha = false;
    while (const std::optional<DecodedFrame> frame = source.next())
      has_alpha = has_alpha || frame->frame.planes[3].data != nullptr;
    const std::vector<OtherPictures> found = source.other_pictures();
    if (has_alpha) {
      EXPECT_TRUE(found.empty()) << name;
      continue;
    }
    ASSERT_EQ(found.size(), 1U) << name;
    EXPECT_EQ(found[0].name, "alpha of stream 0 (vp9)");
    EXPECT_FALSE(found[0].unreadable.empty());
  }
}

}  // namespace
}  // namespace facepipe::video
