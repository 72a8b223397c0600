#include "video/frames/pictures.h"
#include "video/frames/working_format.h"

#include <gtest/gtest.h>

extern "C" {
#include <libavutil/display.h>
#include <libavutil/pixdesc.h>
}

#include <array>
#include <cstring>
#include <optional>

#include "video/write/encoder.h"

namespace facepipe::video {
namespace {

TEST(Orientation, FollowsFFmpegsDisplayMatrices) {
  struct Case {
    double clockwise;  // in degrees
    bool hflip;
    Orientation expected;
  };
  // av_display_rotation_set(matrix, angle) turns clockwise by `angle`.
  const std::array<Case, 8> cases{{{0, false, {0, false}},
                                   {90, false, {1, false}},
                                   {180, false, {2, false}},
                                   {270, false, {3, false}},
                                   {0, true, {0, true}},
                                   {90, true, {3, true}},
                                   {180, true, {2, true}},
                                   {270, true, {1, true}}}};
  for (const Case& c : cases) {
    std::array<std::int32_t, 9> matrix{};
    av_display_rotation_set(matrix.data(), c.clockwise);
    if (c.hflip) av_display_matrix_flip(matrix.data(), 1, 0);
    EXPECT_EQ(orientation_of(matrix.data()), c.expected)
        << c.clockwise << (c.hflip ? " flipped" : "");
  }
}

TEST(Orientation, RefusesOtherAngles) {
  std::array<std::int32_t, 9> matrix{};
  av_display_rotation_set(matrix.data(), 45);
  EXPECT_EQ(orientation_of(matrix.data()), std::nullopt);
  EXPECT_EQ(orientation_of(std::array<std::int32_t, 9>{}.data()), std::nullopt);
}

TEST(Orientation, ReadsExif) {
  EXPECT_EQ(orientation_of_exif(1), (Orientation{0, false}));
  EXPECT_EQ(orientation_of_exif(3), (Orientation{2, false}));
  EXPECT_EQ(orientation_of_exif(6), (Orientation{1, false}));
  EXPECT_EQ(orientation_of_exif(8), (Orientation{3, false}));
  for (const int bad : {-1, 0, 9, 1000}) EXPECT_TRUE(orientation_of_exif(bad).upright());
}

TEST(WorkableFormat, TakesYuvAndGbrOfEightToSixteenBits) {
  for (const AVPixelFormat format :
       {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUV444P10LE, AV_PIX_FMT_NV12,
        AV_PIX_FMT_P010LE, AV_PIX_FMT_YUVA420P, AV_PIX_FMT_GBRP, AV_PIX_FMT_YUV411P})
    EXPECT_TRUE(workable_format(format)) << format;
  for (const AVPixelFormat format : {AV_PIX_FMT_RGB24, AV_PIX_FMT_PAL8, AV_PIX_FMT_GRAY8,
                                     AV_PIX_FMT_YUYV422, AV_PIX_FMT_YUV420P10BE, AV_PIX_FMT_NV21,
                                     AV_PIX_FMT_GBRPF32LE, AV_PIX_FMT_CUDA, AV_PIX_FMT_NONE})
    EXPECT_FALSE(workable_format(format)) << format;
}

TEST(WorkableFormat, DescribesSamples) {
  EXPECT_EQ(workable_format(AV_PIX_FMT_P010LE),
            (PixelFormat{.semi_planar = true, .bits = 10, .shift = 6}));
  EXPECT_EQ(workable_format(AV_PIX_FMT_YUV422P10LE),
            (PixelFormat{.log2_chroma_w = 1, .log2_chroma_h = 0, .bits = 10}));
}

// Hiding and drawing can change alpha only if it has its own plane.
TEST(WorkableFormat, A3EveryFormatWithAlphaIsWorkedOnWithItsAlpha) {
  int formats = 0;
  for (const AVPixFmtDescriptor* d = av_pix_fmt_desc_next(nullptr); d != nullptr;
       d = av_pix_fmt_desc_next(d)) {
    const AVPixelFormat format = av_pix_fmt_desc_get_id(d);
    if ((d->flags & AV_PIX_FMT_FLAG_ALPHA) == 0 || (d->flags & AV_PIX_FMT_FLAG_HWACCEL) != 0)
      continue;
    ++formats;
    const std::optional<PixelFormat> working = workable_format(working_format(format));
    ASSERT_TRUE(working) << d->name;
    EXPECT_TRUE(working->has_alpha) << d->name;
  }
  EXPECT_GT(formats, 40);
}

UniqueAVFrame grey_picture() {
  UniqueAVFrame picture = new_av_frame();
  picture->format = AV_PIX_FMT_YUV420P;
  picture->width = 64;
  picture->height = 48;
  check_av(av_frame_get_buffer(picture.get(), 0), ErrorKind::internal, "picture");
  for (int p = 0; p < 3; ++p)
    std::memset(picture->data[p], 128,
                static_cast<std::size_t>(picture->linesize[p] * (p == 0 ? 48 : 24)));
  return picture;
}

TEST(Wrap, CountsLiveFrames) {
  const std::int64_t before = live_frames();
  {
    const Frame frame = wrap(grey_picture());
    EXPECT_EQ(live_frames(), before + 1);
    EXPECT_EQ(frame.size, (Size{64, 48}));
  }
  EXPECT_EQ(live_frames(), before);
}

TEST(Wrap, RefusesFormatsThatNoStageWorksOn) {
  UniqueAVFrame picture = new_av_frame();
  picture->format = AV_PIX_FMT_RGB24;
  EXPECT_THROW((void)wrap(std::move(picture)), Error);
}

TEST(MakeWritable, LeavesAPictureAloneThatSomeoneElseHolds) {
  UniqueAVFrame picture = grey_picture();
  const UniqueAVFrame held(av_frame_clone(picture.get()));
  Frame frame = wrap(std::move(picture));
  make_writable(frame);
  EXPECT_NE(reinterpret_cast<std::uint8_t*>(frame.planes[0].data), held->data[0]);
  *frame.planes[0].data = std::byte{1};
  EXPECT_EQ(held->data[0][0], 128);
}

}  // namespace
}  // namespace facepipe::video
