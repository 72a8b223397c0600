// These tests read the tables that the host makes of a cascade, in the way in which the kernels
// read them. They need no device.
#include "detector/cascade/cuda/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/detector/cascade/files.h"
#include "tests/detector/cascade/oracle.h"

namespace facepipe::detector {
namespace {

using cascade::Cascade;
using cascade::DeviceStage;
using cascade::ScanPlan;
using cascade::ScanTables;
using cascade::StumpBlock;
using cascade::WordPair;
using cascade::Words;

constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};

Cascade cascade_of(const std::string& name) {
  return cascade::read_cascade(test::installed_cascade(name));
}

ScanTables tables_of(const Cascade& cascade, Size picture = {1920, 1080}) {
  return cascade::make_scan_tables(cascade, {picture, kNv12, {}}, {1.1});
}

/// Holds the grey levels of a full tile, and the sums that a block computes of them.
struct TileOfSums {
  Size size;
  std::vector<int> pixels;
  std::vector<std::uint32_t> sums;
};

std::size_t sum_at(const ScanPlan& plan, int step, int x, int y) {
  const cascade::SumsLayout& layout = plan.cascade.layouts[step - 1];
  const int column = step == 1 ? x : x / 2 + (x % 2 == 0 ? 0 : layout.odd);
  return static_cast<std::size_t>(y * layout.stride + column);
}

template <class Pixel>
TileOfSums tile_of(const ScanPlan& plan, int step, const Pixel& pixel) {
  TileOfSums tile{cascade::tile_size(plan, step), {}, {}};
  const int across = tile.size.width + 1;
  std::vector<std::int64_t> whole(static_cast<std::size_t>(across * (tile.size.height + 1)));
  tile.sums.resize(sum_at(plan, step, 0, tile.size.height + 1));
  for (int y = 0; y <= tile.size.height; ++y)
    for (int x = 0; x <= tile.size.width; ++x) {
      const auto at = static_cast<std::size_t>(y * across + x);
      const auto row = static_cast<std::size_t>(across);
      if (x > 0 && y > 0) {
        tile.pixels.push_back(pixel());
        whole[at] = whole[at - 1] + whole[at - row] - whole[at - row - 1] + tile.pixels.back();
      }
      tile.sums[sum_at(plan, step, x, y)] = static_cast<std::uint32_t>(whole[at]);
    }
  return tile;
}

/// Returns a feature's value for the window at (left, top), computed pixel by pixel.
std::int64_t value_of(const cascade::Feature& feature, const TileOfSums& tile, int left, int top) {
  std::int64_t sum = 0;
  for (int i = 0; i < feature.rect_count; ++i) {
    const cascade::WeightedRect& rect = feature.rects[static_cast<std::size_t>(i)];
    for (int y = 0; y < rect.height; ++y)
      for (int x = 0; x < rect.width; ++x)
        sum += std::int64_t{rect.weight} *
               tile.pixels[static_cast<std::size_t>((top + rect.y + y) * tile.size.width + left +
                                                    rect.x + x)];
  }
  return sum;
}

/// Returns the leaves that a window reaches in a stage's stumps, sorted.
std::vector<float> expected_leaves(const Cascade& cascade, const cascade::Stage& stage,
                                   const TileOfSums& tile, int left, int top, float inverse) {
  std::vector<float> leaves;
  for (std::uint32_t i = 0; i < stage.tree_count; ++i) {
    const cascade::Tree& tree = cascade.trees[stage.first_tree + i];
    const cascade::Node& node = cascade.nodes[tree.first_node];
    const auto value =
        static_cast<float>(value_of(cascade.features[node.feature], tile, left, top));
    const std::int32_t child = value * inverse < node.threshold ? node.left : node.right;
    leaves.push_back(cascade.leaves[tree.first_leaf + static_cast<std::uint32_t>(-child)]);
  }
  std::ranges::sort(leaves);
  return leaves;
}

float float_of(std::uint32_t word) { return std::bit_cast<float>(word); }

/// Reads the runs of a stage's stumps. A run begins with a head.
class RunReader {
 public:
  RunReader(const std::vector<WordPair>& pairs, const DeviceStage& stage)
      : at_(pairs.begin() + stage.first_pair), end_(pairs.end()) {}

  std::vector<std::uint32_t> next(int pairs) {
    std::vector<std::uint32_t> words;
    for (int i = 0; i < pairs && at_ != end_; ++i, ++at_)
      words.insert(words.end(), std::begin(at_->word), std::end(at_->word));
    EXPECT_EQ(words.size(), 2 * static_cast<std::size_t>(pairs));
    return words;
  }
  [[nodiscard]] int kind() const { return static_cast<int>(at_->word[0]); }

 private:
  std::vector<WordPair>::const_iterator at_;
  std::vector<WordPair>::const_iterator end_;
};

/// Reads a stage's runs, and returns the sum of the leaves that a window reaches, in units. Adds
/// the number of stumps to `*stumps`.
double sum_of_runs(const ScanTables& tables, std::size_t layout, const DeviceStage& stage,
                   const std::uint32_t* window, float inverse, int* stumps) {
  double sum = stage.rights;
  RunReader reader(tables.stumps[layout], stage);
  for (int i = 0; i < stage.runs; ++i) {
    const int kind = reader.kind();
    const auto corners = static_cast<std::size_t>(cascade::corners_of_kind(kind));
    const std::vector<std::uint32_t> head = reader.next(cascade::run_head_pairs(kind));
    const auto count_at = [&](std::size_t c) {
      return kind < cascade::kKinds ? cascade::kStumpKinds[kind].counts[c]
                                    : static_cast<std::int32_t>(head[2 + c]);
    };
    *stumps += static_cast<int>(head[1]);
    for (std::uint32_t k = 0; k < head[1]; ++k) {
      const std::vector<std::uint32_t> words = reader.next(cascade::stump_pairs(kind));
      std::int64_t value = 0;
      for (std::size_t c = 0; c < corners; ++c)
        value += std::int64_t{count_at(c)} * window[words[c] / sizeof(std::uint32_t)];
      if (static_cast<float>(value) * inverse < float_of(words[corners]))
        sum += static_cast<std::int32_t>(words[corners + 1]);
    }
  }
  return sum;
}

/// Reads a stage's blocks, and returns the leaves that a window reaches, in units, sorted.
std::vector<std::int32_t> leaves_of_blocks(const std::vector<StumpBlock>& blocks,
                                           const DeviceStage& stage, const std::uint32_t* window,
                                           float inverse) {
  std::vector<std::int32_t> leaves;
  for (int i = 0; i < stage.tree_count; ++i) {
    const StumpBlock& block = blocks[static_cast<std::size_t>(stage.first_block + i / 32)];
    std::int64_t value = 0;
    for (int c = 0; c < block.most_corners; ++c) {
      const Words& words = c < 9 ? block.first[c / 4][i % 32] : block.more[i % 32];
      const std::uint32_t corner = words.word[c < 9 ? c % 4 : c - 9];
      value += std::int64_t{static_cast<std::int16_t>(corner >> 16)} * window[corner & 0xffffU];
    }
    const std::uint32_t* const last = block.first[2][i % 32].word;
    const bool is_left = static_cast<float>(value) * inverse < float_of(last[1]);
    leaves.push_back(static_cast<std::int32_t>(is_left ? last[2] : last[3]));
  }
  std::ranges::sort(leaves);
  return leaves;
}

void expect_stage(const Cascade& cascade, const ScanTables& tables, std::size_t number,
                  const TileOfSums& tile, int step, Size place, float inverse) {
  const auto layout = static_cast<std::size_t>(step - 1);
  const DeviceStage& stage = tables.stages[number];
  const std::uint32_t* const window =
      tile.sums.data() + place.height * step * tables.plan.cascade.layouts[layout].stride +
      place.width;
  const std::vector<float> expected = expected_leaves(
      cascade, cascade.stages[number], tile, place.width * step, place.height * step, inverse);
  if (static_cast<int>(number) >= tables.plan.cascade.lane_stages) {
    std::vector<std::int32_t> in_units;
    for (const float leaf : expected)
      in_units.push_back(static_cast<std::int32_t>(std::lrint(double{leaf} * stage.units)));
    EXPECT_EQ(leaves_of_blocks(tables.blocks[layout], stage, window, inverse), in_units);
    return;
  }
  int stumps = 0;
  EXPECT_NEAR(sum_of_runs(tables, layout, stage, window, inverse, &stumps),
              std::accumulate(expected.begin(), expected.end(), 0.0) * stage.units,
              (stage.tree_count + 1) / 2.0);
  EXPECT_EQ(stumps, static_cast<int>(expected.size()));
}

/// Compares the leaves that windows reach in all stages. The windows are at several places of a
/// tile.
void expect_leaves(const Cascade& cascade, const ScanTables& tables, int step,
                   const TileOfSums& tile, float inverse) {
  const int last_row = tables.plan.cascade.tile_rows[step - 1] - 1;
  for (const int column : {0, 31, cascade::kTileColumns - 1})
    for (const int row : {0, last_row})
      for (std::size_t stage = 0; stage < tables.stages.size(); ++stage) {
        SCOPED_TRACE("step " + std::to_string(step) + ", stage " + std::to_string(stage));
        expect_stage(cascade, tables, stage, tile, step, {column, row}, inverse);
      }
}

class CudaCascadePlan : public testing::TestWithParam<std::string> {};

TEST_P(CudaCascadePlan, HasEachStumpAsItIs) {
  const Cascade cascade = cascade_of(GetParam());
  const ScanTables tables = tables_of(cascade);
  ASSERT_EQ(tables.plan.cascade.only_stumps, 1);
  std::mt19937 random(7);
  for (const int step : {1, 2}) {
    const auto noise = tile_of(tables.plan, step, [&] { return static_cast<int>(random() % 256); });
    for (const float inverse : {0.0002F, 0.002F})
      expect_leaves(cascade, tables, step, noise, inverse);
  }
}

INSTANTIATE_TEST_SUITE_P(Cascades, CudaCascadePlan,
                         testing::Values("frontalface_default", "frontalface_alt", "profileface"),
                         [](const auto& parameter) { return parameter.param; });

TEST(CudaCascadePlanNodes, AreWalkedWhereTheyAreTreesOrCountTooMuch) {
  EXPECT_EQ(tables_of(cascade_of("frontalface_alt2")).plan.cascade.only_stumps, 0) << "trees";
  Cascade cascade = cascade_of("frontalface_default");
  for (cascade::WeightedRect& rect : cascade.features[7].rects) rect.weight *= 33'000;
  const ScanTables tables = tables_of(cascade);
  EXPECT_EQ(tables.plan.cascade.only_stumps, 0);
  EXPECT_TRUE(tables.stumps[0].empty());
  EXPECT_GT(tables.plan.cascade.lane_stages, 0);
}

TEST(CudaCascadePlanStages, AreDecidedByUnitsButNearTheThreshold) {
  const Cascade cascade = cascade_of("frontalface_default");
  const ScanTables tables = tables_of(cascade);
  for (std::size_t i = 0; i < cascade.stages.size(); ++i) {
    SCOPED_TRACE(i);
    const DeviceStage& stage = tables.stages[i];
    const double threshold = double{cascade.stages[i].threshold} * stage.units;
    const double rounding = (stage.tree_count + 1) / 2.0;
    EXPECT_GE(stage.passes_from, threshold + rounding);
    EXPECT_LE(stage.fails_below, threshold - rounding + 1);
    // With so few stumps, many windows have the same sum. One possible sum is 1e-5 above the
    // threshold, and must pass without another computation.
    if (stage.tree_count < 32) {
      EXPECT_LT(stage.passes_from - threshold, 1e-5 * stage.units);
    }
  }
}

/// Returns how many reads of shared memory a block's lanes do one after the other. For each word,
/// this is the number of different addresses in the most used bank.
int turns_of(const StumpBlock& block) {
  int turns = 0;
  for (int c = 0; c < block.most_corners; ++c) {
    std::array<std::set<std::uint32_t>, 32> banks;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const Words& words = c < 9 ? block.first[c / 4][lane] : block.more[lane];
      const std::uint32_t distance = words.word[c < 9 ? c % 4 : c - 9] & 0xffffU;
      banks[distance % 32].insert(distance);
    }
    turns += static_cast<int>(std::ranges::max(banks, {}, [](const std::set<std::uint32_t>& bank) {
                                return bank.size();
                              }).size());
  }
  return turns;
}

// In the order of the file, each block would need 22 reads.
TEST(CudaCascadePlanStumps, OfAWarpMeetInFewBanks) {
  const ScanTables tables = tables_of(cascade_of("frontalface_default"));
  for (const std::vector<StumpBlock>& blocks : tables.blocks) {
    int turns = 0;
    for (const StumpBlock& block : blocks) turns += turns_of(block);
    EXPECT_LT(turns, 16 * static_cast<int>(blocks.size()));
  }
}

TEST(CudaCascadePlanStumps, MayCountNothing) {
  Cascade cascade = cascade_of("frontalface_alt");
  for (std::size_t i = 0; i < cascade.features.size(); i += 3) {
    cascade::Feature& feature = cascade.features[i];
    feature.rects[1] = feature.rects[0];
    feature.rects[1].weight = -feature.rects[0].weight;
    feature.rect_count = 2;
  }
  const ScanTables tables = tables_of(cascade);
  ASSERT_EQ(tables.plan.cascade.only_stumps, 1);
  std::mt19937 random(7);
  const auto noise = tile_of(tables.plan, 1, [&] { return static_cast<int>(random() % 256); });
  expect_leaves(cascade, tables, 1, noise, 0.0002F);
}

TEST(CudaCascadePlanStumps, OfFewerStagesAreAParameterWhereTheyAreLarge) {
  Cascade cascade = cascade_of("frontalface_default");
  // These features have twelve corners. Their stumps need 7 pairs of words each, and there is room
  // for 1,950 pairs.
  for (cascade::Feature& feature : cascade.features) {
    feature.rects[0] = {1, 1, 3, 3, 1};
    feature.rects[1] = {5, 6, 4, 4, -2};
    feature.rects[2] = {12, 13, 5, 5, 1};
    feature.rect_count = 3;
  }
  const ScanTables tables = tables_of(cascade);
  ASSERT_EQ(tables.plan.cascade.only_stumps, 1);
  EXPECT_EQ(tables_of(cascade_of("frontalface_default")).plan.cascade.lane_stages, 8);
  EXPECT_EQ(tables.plan.cascade.lane_stages,
            7);  // the first stages have 9, 16, 27, 32, 52, 53, 62 and 72 stumps; there is no room
                 // for the eighth
  EXPECT_LE(tables.stumps[0].size(), std::size_t{cascade::kMostStumpPairs});
  EXPECT_EQ(tables.stumps[0].size(), tables.stumps[1].size());
  std::mt19937 random(7);
  for (const int step : {1, 2})
    expect_leaves(cascade, tables, step,
                  tile_of(tables.plan, step, [&] { return static_cast<int>(random() % 256); }),
                  0.0002F);
}

TEST(CudaCascadePlanStumps, AreWalkedAsNodesWhereTheFirstStageIsTooLarge) {
  Cascade cascade = cascade_of("frontalface_default");
  for (cascade::Stage& stage : cascade.stages) {
    stage.tree_count += stage.first_tree;
    stage.first_tree = 0;
  }
  cascade.stages.erase(cascade.stages.begin(), cascade.stages.begin() + 12);
  ASSERT_GT(cascade.stages[0].tree_count, 600U);
  const ScanTables tables = tables_of(cascade);
  EXPECT_EQ(tables.plan.cascade.only_stumps, 0);
  EXPECT_EQ(tables.plan.cascade.lane_stages, 1);
  EXPECT_TRUE(tables.stumps[0].empty());
}

TEST(CudaCascadePlanTiles, CoverEachPlaceOnce) {
  const Cascade cascade = cascade_of("frontalface_alt");
  for (const Size picture : {Size{20, 20}, Size{201, 143}, Size{1920, 1080}}) {
    const ScanTables tables = tables_of(cascade, picture);
    std::int64_t covered = 0;
    std::int64_t places = 0;
    std::set<std::tuple<int, int, int>> firsts;
    for (const cascade::DeviceTile& tile : tables.tiles) {
      const cascade::DeviceLevel& level = tables.levels[static_cast<std::size_t>(tile.level)];
      const int rows = tables.plan.cascade.tile_rows[level.step - 1];
      EXPECT_EQ(tile.column % cascade::kTileColumns, 0);
      EXPECT_EQ(tile.row % rows, 0);
      EXPECT_TRUE(firsts.insert({tile.level, tile.column, tile.row}).second);
      covered += std::int64_t{std::min(cascade::kTileColumns, level.places.width - tile.column)} *
                 std::min(rows, level.places.height - tile.row);
    }
    for (const cascade::DeviceLevel& level : tables.levels)
      places += std::int64_t{level.places.width} * level.places.height;
    EXPECT_EQ(covered, places);
  }
}

TEST(CudaCascadePlanTiles, AreSmallerWhereTheyWouldBeFew) {
  const Cascade cascade = cascade_of("frontalface_default");
  EXPECT_THAT(tables_of(cascade, {1920, 1080}).plan.cascade.tile_rows,
              testing::ElementsAre(96, 48));
  const ScanTables small = tables_of(cascade, {320, 240});
  EXPECT_LT(small.plan.cascade.tile_rows[1], 48);
  EXPECT_GE(small.plan.cascade.tile_rows[1], 8);
}

TEST(CudaCascadePlanAxes, LieBetweenThePicturesPixels) {
  const std::vector<cascade::AxisPixel> same = cascade::axis_pixels(7, 7);
  for (std::size_t i = 0; i < same.size(); ++i) {
    EXPECT_EQ(same[i].first, i);
    EXPECT_EQ(same[i].weight, 0);
  }
  const std::vector<cascade::AxisPixel> half = cascade::axis_pixels(8, 4);
  for (std::size_t i = 0; i < half.size(); ++i) {
    EXPECT_EQ(half[i].first, 2 * i);
    EXPECT_EQ(half[i].weight, 128);
  }
}

}  // namespace
}  // namespace facepipe::detector
