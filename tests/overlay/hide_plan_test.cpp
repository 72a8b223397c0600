// These tests compare masks with handmade ones. They also compare the arithmetic of the styles and
// the box filters with double precision.
#include "overlay/hide_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "overlay/cpu/box_blur.h"
#include "tests/overlay/hide_oracle.h"
#include "tests/support/test_frame.h"

namespace facepipe::overlay {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

HidePlan plan(Size size, const std::vector<Box>& faces, const HideOptions& options = {}) {
  return plan_hiding(test::make_noise_frame({{}, size}, 1), faces, options);
}

TEST(HidePlan, GrowsAndRoundsOutwardsToChromaCells) {
  const HidePlan found = plan({100, 80}, {{20, 30, 40, 60}}, {.grow = 0.3});  // grown to 14..46 and
                                                                              // 21..69
  ASSERT_EQ(found.masks.size(), 1U);
  EXPECT_EQ(found.masks[0].area, (PixelRect{14, 20, 46, 70}));
  EXPECT_EQ(found.masks[0].whole, found.masks[0].area);
  EXPECT_EQ(found.masks[0].ellipse, MaskEllipse{});
  // Sigma must be at least 5 pixels. Three boxes of 11 have a sigma of 5.48, and three boxes of 9
  // have only 4.47. In chroma, sigma must be at least 2.5 samples: boxes of 7 have 3.46, and boxes
  // of 5 only 2.45.
  EXPECT_EQ(found.masks[0].luma_radius, (BlurRadius{5, 5}));
  EXPECT_EQ(found.masks[0].chroma_radius, (BlurRadius{3, 3}));
}

TEST(HidePlan, ClipsToThePictureAndRemembersTheWhole) {
  const HidePlan found = plan({51, 41}, {{40, -10, 60, 10}}, {.grow = 0});
  ASSERT_EQ(found.masks.size(), 1U);
  EXPECT_EQ(found.masks[0].area, (PixelRect{40, 0, 51, 10}));
  EXPECT_EQ(found.masks[0].whole, (PixelRect{40, -10, 60, 10}));
}

TEST(HidePlan, ABoxWithoutExtentHidesTheCellThatItLiesIn) {
  const HidePlan found = plan({100, 80}, {{10, 20, 10, 20}});
  ASSERT_EQ(found.masks.size(), 1U);
  EXPECT_EQ(found.masks[0].area, (PixelRect{10, 20, 12, 22}));
}

TEST(HidePlan, SmallFacesAreBlurredByFourPixels) {
  // Sigma must be at least 4 pixels. Three boxes of 9 have a sigma of 4.47, and boxes of 7 have
  // only 3.46. In chroma, sigma must be at least 2 samples: boxes of 5 have 2.45.
  const HidePlan found = plan({100, 80}, {{20, 30, 22, 33}});
  EXPECT_EQ(found.masks.at(0).luma_radius, (BlurRadius{4, 4}));
  EXPECT_EQ(found.masks.at(0).chroma_radius, (BlurRadius{2, 2}));
}

TEST(HidePlan, SortsByAreaAndLeavesOutTwinsAndWhatIsOutside) {
  const Box small{10, 10, 14, 14};
  const Box large{20, 20, 60, 60};
  const HidePlan found = plan({100, 80}, {large, small, large, {-50, -50, -40, -40}});
  ASSERT_EQ(found.masks.size(), 2U);
  EXPECT_EQ(found.masks[0], plan({100, 80}, {small}).masks.at(0));
  EXPECT_EQ(found.masks[1], plan({100, 80}, {large}).masks.at(0));
}

TEST(HidePlan, FarBoxesAreCutAndBecomeRectangles) {
  const HideOptions ellipse{.shape = MaskShape::ellipse, .grow = 4};
  for (const Box& box : {Box{-kInfinity, -kInfinity, kInfinity, kInfinity},
                         Box{-3e38F, -1e9F, 3e38F, 1e9F}, Box{-60000, -60000, 60000, 60000}}) {
    const HidePlan found = plan({100, 80}, {box}, ellipse);
    ASSERT_EQ(found.masks.size(), 1U);
    EXPECT_EQ(found.masks[0].area, (PixelRect{0, 0, 100, 80}));
    EXPECT_EQ(found.masks[0].whole, (PixelRect{-65536, -65536, 65536, 65536}));
    EXPECT_EQ(found.masks[0].ellipse, MaskEllipse{});
    EXPECT_EQ(found.masks[0].luma_radius.x, BlurRadius::kMost);
  }
  EXPECT_TRUE(plan({100, 80}, {{kInfinity, 0, kInfinity, 10}}, ellipse).masks.empty());
}

TEST(HidePlan, AnEllipseHasAboutTheAreaOfTheBoxThatGrowsLess) {
  const Box face{400, 300, 600, 550};
  const HidePlan box = plan({1000, 900}, {face}, {.shape = MaskShape::box, .grow = 0.3});
  const HidePlan ellipse = plan({1000, 900}, {face}, {.shape = MaskShape::ellipse, .grow = 0.4});
  const HideMask& mask = ellipse.masks.at(0);
  double area = 0;
  for (int y = mask.area.y1; y < mask.area.y2; ++y) {
    const ColumnSpan columns = masked_columns(mask, ellipse.cell, y);
    area += columns.x2 - columns.x1;
  }
  const double exact = std::acos(-1.0) / 4 * (1.8 * 200) * (1.8 * 250);
  EXPECT_NEAR(area / exact, 1, 0.02);
  const PixelRect& rectangle = box.masks.at(0).area;
  EXPECT_NEAR(area / ((rectangle.x2 - rectangle.x1) * (rectangle.y2 - rectangle.y1)), 1, 0.02);
}

TEST(HideGeometry, RootsAreRoundedUpExactly) {
  const auto expect_root = [](std::int64_t value, std::int64_t root) {
    EXPECT_EQ(hide_detail::ceil_sqrt(value), root) << value;
  };
  expect_root(0, 0);
  expect_root(1, 1);
  expect_root(2, 2);
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    const auto root = static_cast<std::int64_t>(random() % 94906265) + 2;  // squares of these roots
                                                                           // are below 2^53
    expect_root(root * root, root);
    expect_root(root * root - 1, root);
    if (root < 94906265) expect_root(root * root + 1, root + 1);
  }
}

TEST(HideGeometry, DivisionsRoundDownAndUp) {
  EXPECT_EQ(hide_detail::floor_divide(-7, 4), -2);
  EXPECT_EQ(hide_detail::floor_divide(-8, 4), -2);
  EXPECT_EQ(hide_detail::floor_divide(7, 4), 1);
  EXPECT_EQ(hide_detail::ceil_divide(-7, 4), -1);
  EXPECT_EQ(hide_detail::ceil_divide(7, 4), 2);
  EXPECT_EQ(hide_detail::ceil_divide(8, 4), 2);
}

TEST(HideGeometry, MeansOfBoxesStayWithinTheirBoundForEveryRadius) {
  std::mt19937 random(1);
  for (int radius = 1; radius <= BlurRadius::kMost; ++radius) {
    const BoxMean mean(radius);
    const auto width = static_cast<std::uint32_t>(2 * radius + 1);
    for (const std::uint32_t constant : {0U, 1U, 255U << 8, 32767U, 65534U, 65535U})
      ASSERT_EQ(mean(constant * width), constant) << radius;
    for (int i = 0; i < 20; ++i) {
      const auto sum = static_cast<std::uint32_t>(random() % (65535ULL * width + 1));
      ASSERT_NEAR(mean(sum), static_cast<double>(sum) / width, 0.7) << radius;
    }
  }
}

TEST(HideGeometry, SamplesComeBackFromSixteenBits) {
  for (int bits = 8; bits <= 16; ++bits)
    for (const int shift : {0, 16 - bits}) {
      const SampleScale scale{bits, shift};
      for (unsigned sample = 0; sample < 1U << bits; ++sample)
        ASSERT_EQ(scale.narrowed(scale.widened(sample << shift)), sample << shift);
    }
}

TEST(HideGeometry, TapsStayInTheImageAndFollowItsCentres) {
  for (const int length : {1, 2, 7, 100, 131072})
    for (const int size : {1, 2, 5, 4096})
      for (int at = 0; at < length; at += 1 + length / 50) {
        const ImageTap tap = image_tap(at, length, size);
        ASSERT_LE(0, tap.first);
        ASSERT_LT(tap.first, size);
        ASSERT_LT(tap.second, size);
        ASSERT_LT(tap.part, 256U);
        const double exact = std::max(0.0, (at + 0.5) * size / length - 0.5);
        ASSERT_NEAR(tap.first + tap.part / 256.0, exact, 1.01 / 256);
      }
}

TEST(HideGeometry, CellsOfAMosaicTileTheMask) {
  for (const Size cell : {Size{1, 1}, Size{2, 2}, Size{4, 1}})
    for (int width = 2; width < 20; ++width) {
      HideMask mask;
      mask.whole = {8 - 4 * width, 4, 8, 4 + 12 * cell.height};
      mask.area = {0, 4, 8, 9};
      std::vector<int> covered(8);
      for (int column = 0; column < 4; ++column) {
        const PixelRect tile = mosaic_cell(mask, cell, 4, column, 0);
        EXPECT_EQ(tile.y1, 4);
        for (int x = tile.x1; x < tile.x2; ++x) ++covered.at(static_cast<std::size_t>(x));
        EXPECT_EQ(tile.empty() ? 0 : tile.x1 % cell.width + tile.x2 % cell.width, 0);
      }
      EXPECT_EQ(covered, std::vector<int>(8, 1));
    }
}

TEST(BoxBlur, IsThreeMeansAlongEachAxis) {
  std::mt19937 random(4);
  BoxBlur blur;
  for (const Size size : {Size{1, 1}, Size{1, 40}, Size{40, 1}, Size{33, 21}, Size{70, 50}})
    for (const BlurRadius radius : {BlurRadius{1, 1}, {2, 7}, {19, 3}, {60, 60}}) {
      blur.resize(size);
      std::vector<std::vector<double>> expected;
      for (int y = 0; y < size.height; ++y) {
        std::vector<double>& row = expected.emplace_back();
        for (int x = 0; x < size.width; ++x) {
          blur.row(y)[x] = static_cast<std::uint16_t>(random());
          row.push_back(blur.row(y)[x]);
        }
        row = test::three_means(row, radius.x);
      }
      blur.blur(radius);
      for (int x = 0; x < size.width; ++x) {
        std::vector<double> column;
        for (const auto& row : expected) column.push_back(row[static_cast<std::size_t>(x)]);
        column = test::three_means(column, radius.y);
        for (int y = 0; y < size.height; ++y)
          ASSERT_NEAR(blur.row(y)[x], column[static_cast<std::size_t>(y)], 6 * 0.7)
              << to_string(size) << " " << x << "," << y;
      }
    }
}

}  // namespace
}  // namespace facepipe::overlay
