#include "detector/cascade/cpu/scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/detector/cascade/files.h"
#include "tests/detector/cascade/oracle.h"
#include "tests/support/instruction_sets.h"

namespace facepipe::detector {
namespace {

using cascade::Cascade;
using cascade::GreyPicture;
using cascade::Level;
using cascade::LevelOptions;
using cascade::Place;
using cascade::ScanMemory;
using cascade::Scanner;
using test::GreyBytes;

/// Returns noise, smoothed with squares of several sizes, so that it has light and dark regions
/// like a real picture.
GreyBytes clouds(Size size, unsigned seed) {
  std::mt19937 random(seed);
  GreyBytes picture{size, {}};
  std::vector<int> sums(static_cast<std::size_t>(size.width * size.height));
  for (const int cell : {3, 7, 16, 40}) {
    const int across = size.width / cell + 1;
    std::vector<int> cells(static_cast<std::size_t>(across * (size.height / cell + 1)));
    for (int& value : cells) value = static_cast<int>(random() % 100);
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        sums[static_cast<std::size_t>(y * size.width + x)] +=
            cells[static_cast<std::size_t>(y / cell * across + x / cell)];
  }
  for (const int sum : sums)
    picture.pixels.push_back(static_cast<std::uint8_t>(std::clamp(sum - 70, 0, 255)));
  return picture;
}

Cascade cascade_of(const std::string& name, std::size_t stages = 1000) {
  return test::cut(cascade::read_cascade(test::installed_cascade(name)), stages);
}

std::vector<Box> scanned(const Scanner& scanner, const GreyBytes& picture,
                         const LevelOptions& options, int band = Scanner::kBandRows) {
  std::vector<Box> boxes;
  ScanMemory memory;
  for (const Level& level : cascade::plan_levels(scanner.cascade().window, picture.size, options)) {
    const GreyBytes small = test::resized(picture, level.size);
    const GreyPicture view{small.pixels.data(), small.size.width, small.size};
    std::vector<Place> passed;
    for (int row = 0; row < level.places.height; row += band)
      scanner.scan(level, view, row, std::min(band, level.places.height - row), memory, passed);
    for (const Place& place : passed) boxes.push_back(cascade::window_box(level, place.x, place.y));
  }
  return boxes;
}

void expect_oracles_windows(const Cascade& cascade, const GreyBytes& picture,
                            const LevelOptions& options, std::size_t at_least) {
  const std::vector<Box> expected = test::windows_of(cascade, picture, options);
  EXPECT_GE(expected.size(), at_least) << "or the case tells nothing";
  EXPECT_EQ(scanned(Scanner(cascade), picture, options), expected);
}

struct Case {
  std::string name;
  std::size_t stages;
  std::size_t at_least;  ///< least number of windows, summed over all sizes of the picture
};

class ScanOf : public testing::TestWithParam<Case> {};

TEST_P(ScanOf, FindsTheWindowsThatPlainLoopsFind) {
  const Cascade cascade = cascade_of(GetParam().name, GetParam().stages);
  std::size_t windows = 0;
  unsigned seed = 1;
  for (const Size size : {Size{320, 241}, Size{401, 299}, Size{33, 200}, Size{700, 40}}) {
    const GreyBytes picture = clouds(size, seed++);
    const std::vector<Box> expected = test::windows_of(cascade, picture, {1.15});
    EXPECT_EQ(scanned(Scanner(cascade), picture, {1.15}), expected) << to_string(size);
    windows += expected.size();
  }
  EXPECT_GE(windows, GetParam().at_least) << "or the case tells nothing";
}

INSTANTIATE_TEST_SUITE_P(
    Cascades, ScanOf,
    testing::Values(Case{"frontalface_default", 1, 1000}, Case{"frontalface_default", 3, 1000},
                    Case{"frontalface_default", 6, 100}, Case{"frontalface_default", 99, 0},
                    Case{"frontalface_alt", 4, 1000}, Case{"frontalface_alt", 99, 0},
                    Case{"frontalface_alt2", 2, 1000}, Case{"frontalface_alt2", 5, 100},
                    Case{"frontalface_alt_tree", 5, 100}, Case{"profileface", 4, 100},
                    Case{"licence_plate_rus_16stages", 3, 100}),
    [](const auto& parameter) {
      return parameter.param.name + "_" + std::to_string(parameter.param.stages);
    });

TEST(Scan, FindsTheSameWithEveryInstructionSet) {
  const GreyBytes picture = clouds({331, 247}, 9);
  for (const char* name : {"frontalface_default", "frontalface_alt2"}) {
    const Scanner scanner(cascade_of(name, 4));
    const std::vector<Box> expected = scanned(scanner, picture, {1.2});
    EXPECT_GE(expected.size(), 100U);
    for (const auto set : test::instruction_sets()) {
      test::force_instruction_set(set);
      EXPECT_EQ(scanned(scanner, picture, {1.2}), expected) << set;
    }
    test::use_best_instruction_set();
  }
}

TEST(Scan, FindsTheSameInBandsOfAnyHeight) {
  const GreyBytes picture = clouds({331, 247}, 9);
  const Scanner scanner(cascade_of("frontalface_default", 3));
  const std::vector<Box> expected = scanned(scanner, picture, {1.3});
  for (const int rows : {1, 7, 63, 1000})
    EXPECT_EQ(scanned(scanner, picture, {1.3}, rows), expected);
}

TEST(Scan, FindsTheSameEachTime) {
  const GreyBytes picture = clouds({320, 240}, 4);
  const Scanner scanner(cascade_of("frontalface_alt", 5));
  const std::vector<Box> expected = scanned(scanner, picture, {1.1});
  for (int i = 0; i < 20; ++i) ASSERT_EQ(scanned(scanner, picture, {1.1}), expected) << i;
}

TEST(Scan, FindsNothingWithoutContrast) {
  const Scanner scanner(cascade_of("frontalface_default", 1));
  for (const std::uint8_t grey : std::vector<std::uint8_t>{0, 90, 255})
    EXPECT_TRUE(
        scanned(scanner, {{100, 80}, std::vector<std::uint8_t>(8000, grey)}, {1.1}).empty());
}

/// Returns stripes of two grey levels. Their standard deviation is half of the levels' difference.
GreyBytes stripes_of(std::uint8_t low, std::uint8_t high) {
  GreyBytes picture{{120, 60}, {}};
  for (int i = 0; i < 120 * 60; ++i) picture.pixels.push_back(i % 2 == 0 ? low : high);
  return picture;
}

/// Returns a cascade with a window of 24x24 pixels that accepts any feature value, so that only a
/// window's contrast decides.
Cascade passing_all() {
  Cascade cascade;
  cascade.window = {24, 24};
  cascade.features = {{{{{0, 0, 4, 4, -1}, {0, 0, 2, 4, 2}, {}}}, 2}};
  cascade.nodes = {{0, -1, 0, 0.0F}};
  cascade.leaves = {1, 1};
  cascade.trees = {{0, 1, 0, 2}};
  cascade.stages = {{0, 1, 0.5F}};
  return cascade;
}

TEST(Scan, WantsADeviationOverTenGreyLevels) {
  for (const auto& [low, high, windows] :
       {std::tuple{100, 119, false}, {100, 120, false}, {100, 121, true}, {100, 122, true}}) {
    const GreyBytes picture =
        stripes_of(static_cast<std::uint8_t>(low), static_cast<std::uint8_t>(high));
    expect_oracles_windows(passing_all(), picture, {1.3}, windows ? 100 : 0);
    EXPECT_EQ(scanned(Scanner(passing_all()), picture, {10}).empty(), !windows) << high;
  }
}

TEST(Scan, LooksAtEveryWindowWhereNoneFailsAtOnce) {
  const GreyBytes picture = stripes_of(0, 255);
  // The step is 2, so there are 49 columns and 19 rows.
  EXPECT_EQ(scanned(Scanner(passing_all()), picture, {10}).size(), 49U * 19U);
}

// Sequences of rejected windows have all lengths and begin anywhere, also across the borders of
// words and tiles. The feature is the difference of two columns; a window is rejected if the left
// column is darker.
TEST(Scan, LeavesOutTheWindowAfterOneThatFailsAtOnce) {
  Cascade cascade = passing_all();
  cascade.features[0] = {{{{0, 0, 1, 1, 1}, {1, 0, 1, 1, -1}, {}}}, 2};
  cascade.leaves = {0, 1};
  std::mt19937 random(8);
  for (const int width : {1400, 601}) {
    for (const unsigned dark : {2U, 8U, 30U, 99U}) {
      GreyBytes picture{{width, 60}, {}};
      for (int i = 0; i < width * 60; ++i)
        picture.pixels.push_back(
            static_cast<std::uint8_t>(random() % dark == 0 ? 0 : 40 + i % 200));
      expect_oracles_windows(cascade, picture, {1.9}, 20);
    }
  }
}

TEST(Scan, TakesTreesOfManyNodes) {
  // The tree is a chain of 12 decisions, each of which can lead to a leaf. Vectors compute fewer
  // decisions at the same time.
  Cascade cascade = passing_all();
  std::mt19937 random(3);
  cascade.nodes.clear();
  cascade.leaves.clear();
  for (int i = 0; i < 12; ++i) {
    const bool last = i == 11;
    cascade.nodes.push_back({-i, last ? -12 : i + 1, 0, static_cast<float>(random() % 100) / 1e5F});
    cascade.leaves.push_back(i % 2 == 0 ? 1.0F : 0.0F);
  }
  cascade.leaves.push_back(1);
  cascade.trees = {{0, 12, 0, 13}};
  expect_oracles_windows(cascade, clouds({200, 150}, 5), {1.2}, 100);
}

// Large leaves cancel each other, so the sum in single precision is far from the exact sum.
TEST(Scan, DecidesWhatSinglePrecisionCantByDoubles) {
  Cascade cascade = passing_all();
  cascade.nodes.clear();
  cascade.trees.clear();
  cascade.leaves.clear();
  for (std::uint32_t i = 0; i < 40; ++i) {
    const float large = i % 2 == 0 ? 1e6F : -1e6F;
    cascade.nodes.push_back({0, -1, 0, static_cast<float>(i) * 1e-5F - 2e-4F});
    cascade.leaves.insert(cascade.leaves.end(), {large + 0.0625F, large});
    cascade.trees.push_back({i, 1, 2 * i, 2});
  }
  cascade.stages = {{0, 40, 1.25F}};
  expect_oracles_windows(cascade, clouds({200, 150}, 6), {1.2}, 100);
}

TEST(Scan, TakesWindowsOfAnySize) {
  for (const Size window : {Size{6, 5}, Size{5, 9}, Size{128, 128}, Size{64, 20}}) {
    Cascade cascade = passing_all();
    cascade.window = window;
    cascade.features[0] = {{{{0, 0, 2, 2, -1}, {0, 0, 1, 2, 2}, {}}}, 2};
    cascade.leaves = {0, 1};
    expect_oracles_windows(cascade, clouds({300, 210}, 7), {1.4}, 10);
  }
}

}  // namespace
}  // namespace facepipe::detector
