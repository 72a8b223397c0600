#include "video/frames/picture_tags.h"

#include <gtest/gtest.h>

#include <array>
#include <climits>
#include <cstring>

#include "tests/support/hostile_stream.h"
#include "tests/support/temporary_folder.h"
#include "video/read/frame_source.h"

namespace facepipe::test {
namespace {

/// Stores a number in an enumeration, even if the enumeration has no such value. Hostile headers
/// can contain such numbers.
template <typename Enumeration>
void put(Enumeration& field, int number) {
  static_assert(sizeof(field) == sizeof(number));
  std::memcpy(&field, &number, sizeof(number));
}

constexpr std::array kNobodys{-1, 64, 255, INT_MAX, INT_MIN};

TEST(PictureTags, D9NumbersThatFFmpegDoesNotKnowAreUnspecified) {
  for (const int number : kNobodys) {
    const video::UniqueAVFrame picture = video::new_av_frame();
    put(picture->color_primaries, number);
    put(picture->color_trc, number);
    put(picture->colorspace, number);
    put(picture->color_range, number);
    put(picture->chroma_location, number);
    video::forget_unknown_tags(*picture);
    EXPECT_EQ(picture->color_primaries, AVCOL_PRI_UNSPECIFIED) << number;
    EXPECT_EQ(picture->color_trc, AVCOL_TRC_UNSPECIFIED) << number;
    EXPECT_EQ(picture->colorspace, AVCOL_SPC_UNSPECIFIED) << number;
    EXPECT_EQ(picture->color_range, AVCOL_RANGE_UNSPECIFIED) << number;
    EXPECT_EQ(picture->chroma_location, AVCHROMA_LOC_UNSPECIFIED) << number;
  }
}

TEST(PictureTags, D9NumbersBetweenThoseThatFFmpegKnowsAreUnspecified) {
  const video::UniqueAVFrame picture = video::new_av_frame();
  constexpr int kBetween2020And3213 = 15;
  put(picture->color_primaries, kBetween2020And3213);
  video::forget_unknown_tags(*picture);
  EXPECT_EQ(picture->color_primaries, AVCOL_PRI_UNSPECIFIED);
}

TEST(PictureTags, D9OfAStreamToo) {
  for (const int number : kNobodys) {
    const video::UniqueCodecParameters video = video::new_codec_parameters();
    put(video->color_primaries, number);
    put(video->color_trc, number);
    put(video->color_space, number);
    put(video->color_range, number);
    put(video->chroma_location, number);
    put(video->field_order, number);
    video->sample_aspect_ratio = {number, 1};
    video::forget_unknown_tags(*video);
    EXPECT_EQ(video->color_primaries, AVCOL_PRI_UNSPECIFIED) << number;
    EXPECT_EQ(video->color_trc, AVCOL_TRC_UNSPECIFIED) << number;
    EXPECT_EQ(video->color_space, AVCOL_SPC_UNSPECIFIED) << number;
    EXPECT_EQ(video->color_range, AVCOL_RANGE_UNSPECIFIED) << number;
    EXPECT_EQ(video->chroma_location, AVCHROMA_LOC_UNSPECIFIED) << number;
    EXPECT_EQ(video->field_order, AV_FIELD_UNKNOWN) << number;
    EXPECT_EQ(video->sample_aspect_ratio.num > 0, number > 0 && number < 1000) << number;
  }
}

TEST(PictureTags, WhatFFmpegKnowsStays) {
  const video::UniqueAVFrame picture = video::new_av_frame();
  picture->color_primaries = AVCOL_PRI_EBU3213;
  picture->color_trc = AVCOL_TRC_ARIB_STD_B67;
  picture->colorspace = AVCOL_SPC_ICTCP;
  picture->color_range = AVCOL_RANGE_JPEG;
  picture->chroma_location = AVCHROMA_LOC_BOTTOM;
  picture->sample_aspect_ratio = {64, 45};
  video::forget_unknown_tags(*picture);
  EXPECT_EQ(picture->color_primaries, AVCOL_PRI_EBU3213);
  EXPECT_EQ(picture->color_trc, AVCOL_TRC_ARIB_STD_B67);
  EXPECT_EQ(picture->colorspace, AVCOL_SPC_ICTCP);
  EXPECT_EQ(picture->color_range, AVCOL_RANGE_JPEG);
  EXPECT_EQ(picture->chroma_location, AVCHROMA_LOC_BOTTOM);
  EXPECT_EQ(av_cmp_q(picture->sample_aspect_ratio, {64, 45}), 0);
}

TEST(PictureTags, D9ShapesThatNoPixelHasAreUnspecified) {
  constexpr std::array<AVRational, 8> kNone{
      {{0, 1}, {1, 0}, {-4, 3}, {4, -3}, {-4, -3}, {INT_MAX, 1}, {1, INT_MAX}, {INT_MIN, INT_MIN}}};
  for (const AVRational aspect : kNone) {
    EXPECT_EQ(video::plausible_aspect(aspect).num, 0) << aspect.num << "/" << aspect.den;
    EXPECT_EQ(video::plausible_aspect(aspect).den, 1) << aspect.num << "/" << aspect.den;
  }
  for (const AVRational aspect :
       {AVRational{1, 1}, {4, 3}, {INT_MAX, INT_MAX}, {1000, 1}, {1, 1000}})
    EXPECT_EQ(video::plausible_aspect(aspect).num, aspect.num) << aspect.num << "/" << aspect.den;
}

TEST(PictureTags, D9AHostileStreamsPictureHasNone) {
  const TemporaryFolder folder;
  const std::filesystem::path clip = folder.write("clip.264", hostile_chroma_location());
  video::Notices notices("clip");
  video::FrameSource source(clip.string(), {}, notices, {});
  const std::optional<video::DecodedFrame> decoded = source.next();
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->frame.color.chroma_location, 0);
}

}  // namespace
}  // namespace facepipe::test
