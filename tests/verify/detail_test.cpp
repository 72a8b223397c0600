// These tests measure detail in pictures for which the result is known: copies, covers, blurs,
// mosaics.
#include "verify/detail.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "tests/verify/pictures.h"

namespace facepipe::verify {
namespace {

using test::pixel;

constexpr Size kPicture{320, 240};
constexpr Box kFace{100, 60, 164, 124};

/// Measures how much of a face's detail is at the same place of another picture, which can have
/// another size.
DetailLeft detail_left(const Grey& before, const Grey& after, const Box& box) {
  const Area there = scaled(area_of(box), before.size, after.size);
  return FaceDetail(before, box).left_in(detail_of(after, there), kLikeInPlace);
}

/// Replaces each square of `side` pixels by its mean.
Grey mosaic(const Grey& from, int side) {
  Grey to = from;
  for (int y = 0; y < from.size.height; ++y)
    for (int x = 0; x < from.size.width; ++x) {
      int sum = 0;
      int count = 0;
      for (int j = y / side * side; j < std::min(from.size.height, (y / side + 1) * side); ++j)
        for (int i = x / side * side; i < std::min(from.size.width, (x / side + 1) * side);
             ++i, ++count)
          sum += from.at(i, j);
      pixel(to, x, y) = static_cast<std::uint8_t>(sum / std::max(1, count));
    }
  return to;
}

Grey changed(Grey grey, const std::function<int(int)>& change) {
  for (std::uint8_t& sample : grey.samples)
    sample = static_cast<std::uint8_t>(std::clamp(change(sample), 0, 255));
  return grey;
}

TEST(Detail, OfACopyIsLeft) {
  const Grey before = test::textured(kPicture, 3);
  const DetailLeft same = detail_left(before, before, kFace);
  EXPECT_EQ(same.gone, 0);
  EXPECT_EQ(same.left, 1);
  EXPECT_LT(detail_left(before, changed(before, [](int v) { return v + 20; }), kFace).gone, 0.05);
  std::mt19937 random(5);
  const Grey noisy =
      changed(before, [&](int v) { return v + std::uniform_int_distribution<int>(-3, 3)(random); });
  EXPECT_GT(detail_left(before, noisy, kFace).left, 0.95);
}

TEST(Detail, UnderASolidOrAnotherPictureIsGone) {
  const Grey before = test::textured(kPicture, 3);
  Grey solid = before;
  test::fill(solid, {90, 50, 174, 134}, 16);
  EXPECT_EQ(detail_left(before, solid, kFace).gone, 1);
  EXPECT_GT(detail_left(before, test::textured(kPicture, 77), kFace).gone, 0.8);
}

TEST(Detail, OfAHalfThatIsCoveredIsHalfGone) {
  const Grey before = test::textured(kPicture, 3);
  Grey half = before;
  test::fill(half, {90, 50, 132, 134}, 16);
  const DetailLeft detail = detail_left(before, half, kFace);
  EXPECT_NEAR(detail.gone, 0.5, 0.2);
  EXPECT_NEAR(detail.gone + detail.weakened + detail.left, 1, 1e-9);
}

// With six cells across a face, some of its detail is left, but hardly any is unchanged.
TEST(Detail, InAMosaicIsWeakenedOrGone) {
  const Grey before = test::textured(kPicture, 3);
  const DetailLeft fine = detail_left(before, mosaic(before, 10), kFace);
  EXPECT_LT(fine.left, 0.1);
  EXPECT_LT(fine.gone, 0.9);
  EXPECT_GT(detail_left(before, mosaic(before, 40), kFace).gone, 0.8);
}

TEST(Detail, NothingToLoseIsGone) {
  Grey flat{kPicture, std::vector<std::uint8_t>(320 * 240, 90)};
  EXPECT_EQ(detail_left(flat, flat, kFace).gone, 1);
  const Grey before = test::textured(kPicture, 3);
  EXPECT_EQ(detail_left(before, before, {-90, -90, -20, -20}).gone, 1);  // this box is outside of
                                                                         // the picture
}

TEST(Detail, BoxesMayPassTheEdgeAndBeOfAnySize) {
  const Grey before = test::textured(kPicture, 3);
  for (const Box& box : {Box{-20, -20, 40, 40}, Box{300, 200, 360, 260}, Box{-900, -900, 1200, 900},
                         Box{50, 50, 51, 51}, Box{0, 0, 320, 240}})
    EXPECT_EQ(detail_left(before, before, box).left + detail_left(before, before, box).gone, 1);
}

TEST(Detail, IsFoundInAPictureOfAnotherSize) {
  const Grey before = test::textured({640, 480}, 3);
  Grey after{kPicture, {}};
  for (int y = 0; y < kPicture.height; ++y)
    for (int x = 0; x < kPicture.width; ++x)
      after.samples.push_back(static_cast<std::uint8_t>(
          (before.at(2 * x, 2 * y) + before.at(2 * x + 1, 2 * y) + before.at(2 * x, 2 * y + 1) +
           before.at(2 * x + 1, 2 * y + 1)) /
          4));
  EXPECT_LT(detail_left(before, after, {200, 120, 328, 248}).gone, 0.1);
}

}  // namespace
}  // namespace facepipe::verify
