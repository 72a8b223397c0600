// These tests check the arithmetic that CPU and device share.
#include "nms/predicate.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace facepipe::nms {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(ExpMinus, IsWithinAUnitInTheLastPlace) {
  const auto end = std::bit_cast<std::uint32_t>(87.0F);
  for (std::uint32_t bits = 0; bits < end; bits += 997) {
    const auto x = std::bit_cast<float>(bits);
    const double exact = std::exp(-static_cast<double>(x));
    const double unit = std::ldexp(1.0, std::ilogb(exact) - 23);
    ASSERT_LE(std::abs(static_cast<double>(exp_minus(x)) - exact), unit) << x;
  }
}

TEST(ExpMinus, EndsAtOneAndAtNothing) {
  EXPECT_EQ(exp_minus(0), 1.0F);
  EXPECT_GT(exp_minus(std::nextafter(87.0F, 0.0F)), std::numeric_limits<float>::min());
  EXPECT_EQ(exp_minus(87), 0.0F);
  EXPECT_EQ(exp_minus(kInf), 0.0F);
}

TEST(Decay, LeavesAloneWhatDoesNotOverlap) {
  EXPECT_EQ(linear_decay(0, 0), 1.0F);
  EXPECT_EQ(gaussian_decay(0, 0.5F), 1.0F);
  EXPECT_EQ(linear_decay(kNan, 0.3F), 1.0F);
  EXPECT_EQ(gaussian_decay(kNan, 0.5F), 1.0F);
}

TEST(Decay, IsAsPublished) {
  EXPECT_EQ(linear_decay(0.25F, 0.3F), 1.0F);
  EXPECT_EQ(linear_decay(0.3F, 0.3F), 1.0F);
  EXPECT_EQ(linear_decay(0.75F, 0.3F), 0.25F);
  EXPECT_FLOAT_EQ(gaussian_decay(0.5F, 0.5F), std::exp(-0.5F));
  EXPECT_EQ(decayed(kInf, 0), 0.0F);
}

TEST(Iou, NeverExceedsOne) {
  float side = 1e-18F;
  for (int step = 0; step < 260; ++step, side *= 1.37F) {
    const Box box{side, -side, 2.1F * side, 3.7F * side};
    const Box larger{side, -side, 2.1F * side, std::nextafter(3.7F * side, kInf)};
    EXPECT_LE(iou(intersection(box, box), area(box), area(box)), 1.0F);
    EXPECT_LE(iou(intersection(box, larger), area(box), area(larger)), 1.0F);
  }
}

TEST(Diou, FallsWithTheDistanceOfTheCentres) {
  const Box middle{0, 0, 10, 10};
  EXPECT_EQ(centre_penalty(middle, middle), 0.0F);
  // The centres differ by 5, and the smallest box around both boxes has 15x10 pixels.
  EXPECT_FLOAT_EQ(centre_penalty(middle, {5, 0, 15, 10}), 25.0F / 325.0F);
  EXPECT_FLOAT_EQ(centre_penalty({5, 0, 15, 10}, middle), 25.0F / 325.0F);
}

TEST(MatrixBox, IsASquareFromTheTopLeftCorner) {
  EXPECT_EQ(matrix_box({10, 20, 30, 70}, true, false), (Box{10, 20, 60, 70}));
  EXPECT_EQ(matrix_box({10, 20, 70, 30}, true, true), (Box{10, 20, 71, 81}));
  EXPECT_EQ(matrix_box({10, 20, 30, 70}, false, true), (Box{10, 20, 31, 71}));
  EXPECT_EQ(matrix_box({10, 20, 30, 70}, false, false), (Box{10, 20, 30, 70}));
}

TEST(MatrixBox, HasNoNanCorner) {
  EXPECT_EQ(matrix_box({-kInf, 0, kInf, 5}, true, true), (Box{-kInf, 0, kInf, kInf}));
  EXPECT_EQ(matrix_box({-kInf, 0, 3, 5}, true, false), (Box{-kInf, 0, 3, kInf}));
}

}  // namespace
}  // namespace facepipe::nms
