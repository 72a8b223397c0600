// These tests scan made-up channels. The windows and sums must equal those of an oracle that
// evaluates tree by tree.
#include "detector/acf/cpu/scan.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/detector/acf/models.h"
#include "tests/detector/acf/oracle.h"
#include "tests/support/instruction_sets.h"

namespace facepipe::detector::acf {
namespace {

constexpr std::int32_t kAnySum = std::numeric_limits<std::int32_t>::min();

/// Returns random cells that are multiples of 1/64, so that they often equal a threshold exactly.
Planes cells_of(Size size, unsigned seed) {
  Planes planes;
  planes.resize(size, 10);
  std::mt19937 bits(seed);
  for (int c = 0; c < 10; ++c)
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        planes.row(c, y)[x] = static_cast<float>(bits() % (c < 3 ? 40 : 12)) / 64;
  return planes;
}

std::vector<Place> scanned(const Model& model, const Planes& planes, std::int32_t least = kAnySum) {
  const Scanner scanner(model, planes.size(), least);
  std::vector<Place> found;
  // Threads also scan such bands of rows.
  const int rows = scanner.places().height;
  for (int row = 0; row < rows; row += 5) scanner.scan(planes, row, std::min(5, rows - row), found);
  return found;
}

std::vector<Place> expected_of(const Model& model, const Planes& planes) {
  std::vector<Place> found;
  for (const test::OracleWindow& window : test::oracle_windows(
           model, planes.size(), [&](int c, int x, int y) { return planes.row(c, y)[x]; }))
    found.push_back({window.column, window.row, window.sum});
  return found;
}

TEST(AcfScan, FindsWhatTreesFindOneByOne) {
  std::size_t passed = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Model model = test::small_model(seed < 20 ? 25 : 400, seed);
    const Size size{7 + static_cast<int>(seed * 7 % 60), 9 + static_cast<int>(seed * 5 % 33)};
    const Planes planes = cells_of(size, seed + 100);
    const std::vector<Place> expected = expected_of(model, planes);
    passed += expected.size();
    for (const std::string_view set : test::instruction_sets()) {
      test::force_instruction_set(set);
      EXPECT_EQ(scanned(model, planes), expected) << set << ' ' << seed;
    }
  }
  test::use_best_instruction_set();
  EXPECT_GT(passed, 100U);
}

/// Returns a model of one tree, with leaves 1, 2, 3 and 4 and the threshold `limit`. The root
/// compares cell 0 with `threshold`.
Model one_tree(float threshold, std::int32_t limit) {
  Model model = test::small_model(1, 1);
  model.trees[0] = {{0, 1, 2}, {threshold, 10, 10}, {1, 2, 3, 4}};
  model.threshold = limit;
  return model;
}

TEST(AcfScan, AThresholdThatIsHitGoesRight) {
  Planes planes;
  planes.resize({7, 9}, 10);
  for (int c = 0; c < 10; ++c)
    for (int y = 0; y < 9; ++y) std::fill_n(planes.row(c, y), 7, .25F);
  const auto sum_at = [&](float threshold) {
    return scanned(one_tree(threshold, 0), planes).at(0).sum;
  };
  EXPECT_EQ(sum_at(.25F), 3);
  EXPECT_EQ(sum_at(std::nextafter(.25F, 1.0F)), 1);
  EXPECT_EQ(sum_at(std::nextafter(.25F, 0.0F)), 3);
}

TEST(AcfScan, ASumThatIsTheLimitIsOut) {
  Planes planes;
  planes.resize({30, 12}, 10);
  for (int c = 0; c < 10; ++c)
    for (int y = 0; y < 12; ++y) std::fill_n(planes.row(c, y), 30, .25F);
  EXPECT_TRUE(scanned(one_tree(.25F, 3), planes).empty());
  EXPECT_EQ(scanned(one_tree(.25F, 2), planes).size(), 24U * 4U);
  // The scan may reject a window after any tree, even if later trees would raise its sum. It
  // evaluates some trees with vector instructions and others one by one, so both kinds are tested.
  for (const std::size_t at : {std::size_t{0}, std::size_t{40}}) {
    Model model = one_tree(.25F, -5);
    model.trees.resize(80, Tree{{0, 1, 2}, {.25F, 10, 10}, {0, 0, 0, 0}});
    model.trees[0].leaves = {0, 0, 0, 0};
    model.trees[at].leaves = {0, 0, -5, 0};
    model.trees[79].leaves = {0, 0, 100, 0};
    EXPECT_TRUE(scanned(model, planes).empty()) << at;
    model.trees[at].leaves = {0, 0, -4, 0};
    EXPECT_EQ(scanned(model, planes).size(), 24U * 4U) << at;
  }
}

TEST(AcfScan, LeavesOutLesserSums) {
  Planes planes = cells_of({40, 30}, 7);
  const Model model = test::small_model(30, 2);
  std::vector<Place> expected = expected_of(model, planes);
  ASSERT_GT(expected.size(), 20U);
  const std::int32_t least = expected[expected.size() / 2].sum;
  std::erase_if(expected, [&](const Place& place) { return place.sum < least; });
  EXPECT_EQ(scanned(model, planes, least), expected);
}

TEST(AcfScan, FindsNothingWhereNoWindowFits) {
  const Model model = test::small_model(3, 1);
  for (const Size size : {Size{6, 40}, {40, 8}, {1, 1}})
    EXPECT_TRUE(scanned(model, cells_of(size, 1)).empty());
}

}  // namespace
}  // namespace facepipe::detector::acf
