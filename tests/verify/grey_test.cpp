#include "verify/grey.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/test_frame.h"
#include "tests/verify/pictures.h"

namespace facepipe::verify {
namespace {

int level(unsigned raw, const PixelFormat& format, bool full) {
  const int coded = std::min(255, static_cast<int>(raw >> (format.shift + format.bits - 8)));
  if (full) return coded;
  return std::clamp(static_cast<int>(std::lround((coded - 16) * 255.0 / 219)), 0, 255);
}

TEST(Grey, IsUprightAndOfFullRange) {
  PixelFormat ten;
  ten.bits = 10;
  PixelFormat p010 = ten;
  p010.semi_planar = true;
  p010.shift = 6;
  for (const PixelFormat& format : {PixelFormat{}, ten, p010})
    for (const bool full : {false, true})
      for (const Orientation orientation : test::all_orientations()) {
        ColorInfo color;
        color.full_range = full;
        const Frame frame = test::make_noise_frame({format, {7, 5}, orientation, color}, 11);
        const Grey grey = make_grey(frame);
        ASSERT_EQ(grey.size, frame.upright());
        for (int y = 0; y < 5; ++y)
          for (int x = 0; x < 7; ++x) {
            const test::PixelPlace at = test::upright_place({x, y}, {7, 5}, orientation);
            ASSERT_NEAR(grey.at(at.x, at.y), level(test::raw_sample(frame, 0, x, y), format, full),
                        1);
          }
      }
}

/// Compares a plane of chroma (0: Cb, 1: Cr) with the frame's samples, which are turned upright one
/// by one.
void expect_chroma(const Grey& plane, const Frame& frame, int which) {
  const Size stored = frame.chroma_size();
  ASSERT_EQ(plane.size, upright_size(stored, frame.orientation));
  const bool interleaved = frame.format.semi_planar;
  const Plane& from = frame.planes[interleaved ? 1 : static_cast<std::size_t>(1 + which)];
  for (int y = 0; y < stored.height; ++y)
    for (int x = 0; x < stored.width; ++x) {
      const test::PixelPlace at = test::upright_place({x, y}, stored, frame.orientation);
      const std::byte sample = from.data[y * from.stride + (interleaved ? 2 * x + which : x)];
      ASSERT_EQ(plane.at(at.x, at.y), std::to_integer<int>(sample));
    }
}

TEST(Grey, A5AllPlanesAreUpright) {
  PixelFormat wide;
  wide.log2_chroma_h = 0;
  PixelFormat semi;
  semi.semi_planar = true;
  for (const PixelFormat& format : {PixelFormat{}, wide, semi})
    for (const Orientation orientation : test::all_orientations()) {
      const Frame frame = test::make_noise_frame({format, {10, 6}, orientation}, 11);
      const Planes planes = make_planes(frame);
      EXPECT_EQ(planes.luma.samples, make_grey(frame).samples);
      EXPECT_TRUE(planes.alpha.samples.empty());
      ASSERT_EQ(planes.chroma.size(), 2U);
      expect_chroma(planes.chroma[0], frame, 0);
      expect_chroma(planes.chroma[1], frame, 1);
    }
}

TEST(Grey, A5AlphaIsAPictureUnlessItIsFlat) {
  const Grey picture = test::textured({40, 30}, 1);
  Frame frame = test::frame_of(picture);
  EXPECT_FALSE(alpha_view(frame));
  frame.format.has_alpha = true;
  frame.planes[3] = frame.planes[0];
  EXPECT_EQ(make_planes(frame).alpha.samples, picture.samples);
  const std::optional<Frame> alpha = alpha_view(frame);
  ASSERT_TRUE(alpha);
  EXPECT_EQ(make_grey(*alpha).samples, picture.samples);
  const Frame opaque = test::frame_of(test::flat({40, 30}, 255));
  frame.planes[3] = opaque.planes[0];
  EXPECT_FALSE(alpha_view(frame));
}

TEST(Grey, CropsAreClippedAndReduced) {
  const Grey picture = test::textured({40, 30}, 1);
  const Grey part = crop(picture, {-5, 10, 10, 16}, 100);
  EXPECT_EQ(part.size, (Size{10, 6}));
  EXPECT_EQ(part.at(3, 2), picture.at(3, 12));
  EXPECT_EQ(crop(picture, {0, 0, 40, 30}, 10).size, (Size{10, 8}));
  EXPECT_TRUE(crop(picture, {50, 0, 60, 10}, 10).samples.empty());
}

}  // namespace
}  // namespace facepipe::verify
