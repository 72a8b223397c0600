#include "verify/grey.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/test_frame.h"
#include "tests/verify/pictures.h"

namespace facepipe {
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

TEST(Grey, CropsAreClippedAndReduced) {
  const Grey picture = test::textured({40, 30}, 1);
  const Grey part = crop(picture, {-5, 10, 10, 16}, 100);
  EXPECT_EQ(part.size, (Size{10, 6}));
  EXPECT_EQ(part.at(3, 2), picture.at(3, 12));
  EXPECT_EQ(crop(picture, {0, 0, 40, 30}, 10).size, (Size{10, 8}));
  EXPECT_TRUE(crop(picture, {50, 0, 60, 10}, 10).samples.empty());
}

}  // namespace
}  // namespace facepipe
