#include "detector/cascade/cuda/plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "detector/cascade/cpu/tables.h"
#include "detector/cascade/grey_table.h"

namespace facepipe::cascade {
namespace {

int ceil_divided(int value, int by) { return (value + by - 1) / by; }

/// An odd stride keeps the rows of a column in different banks.
TileLayout layout_of(const ScanPlan& plan, int step) {
  const int columns = tile_size(plan, step).width + 1;
  const std::ptrdiff_t half = (columns + 1) / 2;
  return step == 1 ? TileLayout{1, columns | 1, 0} : TileLayout{2, (2 * half) | 1, half};
}

DeviceNode device_node(const Cascade& cascade, const NodeTable& from, const Tree& tree,
                       std::int32_t index) {
  DeviceNode node;
  std::ranges::copy(from.feature.corners, node.corners);
  std::ranges::copy(from.feature.weights, node.weights);
  node.threshold = from.threshold;
  const auto settle = [&](std::int32_t child, std::int32_t& step, float& leaf) {
    if (child > 0)
      step = child - index;
    else
      leaf = cascade.leaves[tree.first_leaf + static_cast<std::uint32_t>(-child)];
  };
  settle(from.left, node.left, node.left_leaf);
  settle(from.right, node.right, node.right_leaf);
  return node;
}

std::vector<DeviceNode> device_nodes(const Cascade& cascade, const Tables& tables) {
  std::vector<DeviceNode> nodes;
  for (const Tree& tree : cascade.trees)
    for (std::uint32_t i = 0; i < tree.node_count; ++i)
      nodes.push_back(device_node(cascade, tables.nodes[tree.first_node + i], tree,
                                  static_cast<std::int32_t>(i)));
  return nodes;
}

/// What a feature's value counts of the sum at each corner of its rectangles, by y and x.
using Corners = std::map<std::pair<int, int>, int>;

Corners corners_of(const Feature& feature) {
  Corners counts;
  for (int i = 0; i < feature.rect_count; ++i) {
    const WeightedRect& rect = feature.rects[static_cast<std::size_t>(i)];
    counts[{rect.y, rect.x}] += rect.weight;
    counts[{rect.y, rect.x + rect.width}] -= rect.weight;
    counts[{rect.y + rect.height, rect.x}] -= rect.weight;
    counts[{rect.y + rect.height, rect.x + rect.width}] += rect.weight;
  }
  std::erase_if(counts, [](const auto& count) { return count.second == 0; });
  return counts;
}

/// Whether all that is added up, corner by corner, is whole numbers below 2^24 in a tile of this
/// size, which a float holds. The counts of a row of corners add up to 0, so that what has been
/// added of it is the last one's sum as often as the counts so far, and else differences of sums
/// side by side, which are small.
bool is_exact(const Corners& corners, Size tile) {
  constexpr double kWhite = 255;
  const double largest = kWhite * tile.width * tile.height;
  double rows = 0;  // bounds what the corners so far add up to, but for `counts` of the last sum
  int counts = 0;
  std::pair<int, int> last;
  for (const auto& [at, count] : corners) {
    if (counts != 0) rows += std::abs(counts) * kWhite * (at.second - last.second) * tile.height;
    counts += count;
    last = at;
    if (rows + std::abs(counts) * largest >= 0x1p24) return false;
  }
  return true;
}

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

/// Rectangles that cancel each other out leave no corner: 1.
int sign_of(const Corners& corners) {
  return !corners.empty() && corners.begin()->second < 0 ? -1 : 1;
}

/// What stumps of one run count, corner by corner: the first one's above 0.
std::vector<int> counts_of(const Corners& corners) {
  const int sign = sign_of(corners);
  std::vector<int> counts;
  for (const auto& [at, count] : corners) counts.push_back(sign * count);
  return counts;
}

/// As a StumpRun has them.
int room_for(const Corners& corners) {
  return *std::ranges::find_if(kStumpCorners,
                               [&](int room) { return room >= static_cast<int>(corners.size()); });
}

/// In one layout; `room` corners.
void append_stump(const DeviceNode& stump, const Corners& corners, const TileLayout& layout,
                  int room, std::vector<WordPair>& to) {
  std::vector<std::uint32_t> words;
  for (const auto& [at, count] : corners)
    words.push_back(static_cast<std::uint32_t>(layout.at(at.second, at.first)) * sizeof(float));
  words.resize(static_cast<std::size_t>(room));
  std::array<float, 3> last{stump.threshold, stump.left_leaf, stump.right_leaf};
  // A value of the other sign is right of the threshold where this one is left of it, and where
  // both are equal, too.
  if (sign_of(corners) < 0)
    last = {std::nextafter(-stump.threshold, std::numeric_limits<float>::infinity()),
            stump.right_leaf, stump.left_leaf};
  for (const float word : last) words.push_back(bits_of(word));
  words.resize(2 * static_cast<std::size_t>(stump_pairs(room)));
  for (std::size_t i = 0; i < words.size(); i += 2) to.push_back({{words[i], words[i + 1]}});
}

/// A stage's stumps, run by run, in both layouts. Returns how many runs.
std::int32_t append_runs(const std::vector<Corners>& corners, const Tables (&tables)[2],
                         const Stage& stage, ScanTables& to) {
  std::map<std::vector<int>, std::vector<std::size_t>> runs;
  for (std::size_t i = stage.first_tree; i < stage.first_tree + stage.tree_count; ++i)
    runs[counts_of(corners[i])].push_back(i);
  std::int32_t first = 0;
  for (const auto& [counts, its] : runs) {
    StumpRun run;
    run.corners = room_for(corners[its.front()]);
    run.first = first;
    run.count = static_cast<std::int32_t>(its.size());
    run.first_pair = static_cast<std::int32_t>(to.stumps[0].size());
    std::ranges::copy(counts, run.counts);
    to.runs.push_back(run);
    for (const std::size_t i : its)
      for (std::size_t step = 0; step < 2; ++step)
        append_stump(to.nodes[step][i], corners[i], tables[step].layout, run.corners,
                     to.stumps[step]);
    first += run.count;
  }
  return static_cast<std::int32_t>(runs.size());
}

/// Of a stage's stumps in one layout.
void append_blocks(const std::vector<DeviceNode>& stumps, const std::vector<Corners>& corners,
                   const TileLayout& layout, const Stage& stage, std::vector<StumpBlock>& to) {
  std::vector<std::size_t> order(stage.tree_count);
  std::iota(order.begin(), order.end(), std::size_t{stage.first_tree});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return corners[i].size(); });
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % 32 == 0) {
      to.emplace_back();
      to.back().most_corners = static_cast<std::int32_t>(corners[order[i]].size());
    }
    StumpBlock& block = to.back();
    std::size_t corner = 0;
    for (const auto& [at, count] : corners[order[i]]) {
      Words& words = corner < 9 ? block.first[corner / 4][i % 32] : block.more[i % 32];
      words.word[corner < 9 ? corner % 4 : corner - 9] =
          bits_of(static_cast<float>(count)) |
          static_cast<std::uint32_t>(layout.at(at.second, at.first));
      ++corner;
    }
    const DeviceNode& stump = stumps[order[i]];
    block.first[2][i % 32].word[1] = bits_of(stump.threshold);
    block.first[2][i % 32].word[2] = bits_of(stump.left_leaf);
    block.first[2][i % 32].word[3] = bits_of(stump.right_leaf);
  }
}

/// Beyond about as many nodes too few windows are left for one a lane.
constexpr std::uint32_t kLaneNodes = 330;

void add_stages(const Cascade& cascade, const Tables& tables, ScanTables& to) {
  std::uint32_t nodes = 0;
  ScanPlan& plan = to.plan;
  for (const StageTable& table : tables.stages) {
    const Stage& stage = table.exact;
    DeviceStage made;
    made.first_tree = static_cast<std::int32_t>(stage.first_tree);
    made.tree_count = static_cast<std::int32_t>(stage.tree_count);
    made.threshold = stage.threshold;
    made.doubt = table.doubt;
    for (std::uint32_t i = 0; i < stage.tree_count; ++i)
      nodes += cascade.trees[stage.first_tree + i].node_count;
    if (to.stages.empty() || nodes <= kLaneNodes) ++plan.lane_stages;
    to.stages.push_back(made);
  }
  plan.stage_count = static_cast<std::int32_t>(to.stages.size());
  for (const Tree& tree : cascade.trees)
    to.roots.push_back(static_cast<std::int32_t>(tree.first_node));
}

/// How many of the stages with a window a lane have room in the kernel's parameter.
std::int32_t stages_with_room(const Cascade& cascade, const std::vector<Corners>& corners,
                              std::int32_t most) {
  int pairs = 0;
  for (std::int32_t i = 0; i < most; ++i) {
    const Stage& stage = cascade.stages[static_cast<std::size_t>(i)];
    for (std::size_t tree = stage.first_tree; tree < stage.first_tree + stage.tree_count; ++tree)
      pairs += stump_pairs(room_for(corners[tree]));
    if (pairs > kMostStumpPairs) return i;
  }
  return most;
}

/// Stumps in the forms that are fastest. Where they can't be exact, or there is no room for the
/// first stage's, nodes are walked.
void add_stumps(const Cascade& cascade, const Tables (&tables)[2], ScanTables& to) {
  std::vector<Corners> corners;
  for (const Node& node : cascade.nodes) {
    corners.push_back(corners_of(cascade.features[node.feature]));
    for (int step : {1, 2})
      if (!is_exact(corners.back(), tile_size(to.plan, step))) return;
  }
  const std::int32_t lane_stages = stages_with_room(cascade, corners, to.plan.lane_stages);
  if (lane_stages == 0) return;
  to.plan.lane_stages = lane_stages;
  to.plan.only_stumps = 1;
  for (std::size_t i = 0; i < to.stages.size(); ++i) {
    DeviceStage& stage = to.stages[i];
    stage.first_run = static_cast<std::int32_t>(to.runs.size());
    stage.first_block = static_cast<std::int32_t>(to.blocks[0].size());
    if (static_cast<std::int32_t>(i) < lane_stages)
      stage.runs = append_runs(corners, tables, cascade.stages[i], to);
    else
      for (std::size_t step = 0; step < 2; ++step)
        append_blocks(to.nodes[step], corners, tables[step].layout, cascade.stages[i],
                      to.blocks[step]);
  }
  to.plan.run_count = static_cast<std::int32_t>(to.runs.size());
}

void add_cascade(const Cascade& cascade, ScanTables& to) {
  Tables tables[2];
  for (std::size_t i = 0; i < 2; ++i) {
    tables[i] = make_tables(cascade, layout_of(to.plan, static_cast<int>(i) + 1));
    to.nodes[i] = device_nodes(cascade, tables[i]);
    to.plan.layouts[i] = {static_cast<std::int32_t>(tables[i].layout.stride),
                          static_cast<std::int32_t>(tables[i].layout.odd)};
  }
  add_stages(cascade, tables[0], to);
  if (cascade.only_stumps()) add_stumps(cascade, tables, to);
}

std::int32_t append_axis(std::vector<AxisPixel>& to, int from, int length) {
  const auto first = static_cast<std::int32_t>(to.size());
  const std::vector<AxisPixel> pixels = axis_pixels(from, length);
  to.insert(to.end(), pixels.begin(), pixels.end());
  return first;
}

/// Of a tile of that step.
int count_sums(const ScanPlan& plan, int step) {
  return static_cast<int>(layout_of(plan, step).stride) * (tile_size(plan, step).height + 1);
}

/// Large tiles, as then least pixels are made twice; but enough of them for all multiprocessors of
/// a large device, and such that shared memory has room for two.
void choose_tile_rows(const std::vector<Level>& levels, ScanPlan& plan) {
  constexpr int kWantedTiles = 264;
  constexpr int kMostSums = 14000;
  constexpr std::int32_t kLeastRows = 8;
  plan.tile_rows[0] = kMostTileRows;
  plan.tile_rows[1] = kMostTileRows / 2;
  const auto tiles = [&] {
    int count = 0;
    for (const Level& level : levels)
      count += ceil_divided(level.places.width, kTileColumns) *
               ceil_divided(level.places.height, plan.tile_rows[level.step - 1]);
    return count;
  };
  while (plan.tile_rows[1] > kLeastRows &&
         (tiles() < kWantedTiles || count_sums(plan, 2) > kMostSums))
    for (std::int32_t& rows : plan.tile_rows) rows /= 2;
}

void add_levels(Size picture, const std::vector<Level>& levels, ScanTables& to) {
  ScanPlan& plan = to.plan;
  for (const Level& level : levels) {
    DeviceLevel made{level.scale, level.step, level.places, level.box_size, 0, 0, 0, 0};
    made.words = ceil_divided(level.places.width, kWordPlaces);
    made.first_word = plan.word_count;
    made.columns = append_axis(to.axes, picture.width, level.size.width);
    made.rows = append_axis(to.axes, picture.height, level.size.height);
    plan.word_count += made.words * level.places.height;
    const auto number = static_cast<std::int32_t>(to.levels.size());
    for (int row = 0; row < level.places.height; row += plan.tile_rows[level.step - 1])
      for (int column = 0; column < level.places.width; column += kTileColumns)
        to.tiles.push_back({number, column, row});
    to.levels.push_back(made);
  }
  plan.level_count = static_cast<std::int32_t>(to.levels.size());
  plan.tile_count = static_cast<std::int32_t>(to.tiles.size());
}

}  // namespace

std::vector<AxisPixel> axis_pixels(int from, int length) {
  std::vector<AxisPixel> pixels;
  const double scale = 1.0 / (static_cast<double>(length) / from);
  for (int i = 0; i < length; ++i) {
    const double at = scale * (i + 0.5) - 0.5;
    const auto first = static_cast<int>(std::floor(at));
    if (first < 0)
      pixels.push_back({0, 0});
    else if (first >= from - 1)
      pixels.push_back({static_cast<std::uint16_t>(from - 1), 0});
    else
      pixels.push_back({static_cast<std::uint16_t>(first),
                        static_cast<std::uint16_t>(std::lrint((at - first) * 256))});
  }
  return pixels;
}

ScanTables make_scan_tables(const Cascade& cascade, const StreamLayout& layout,
                            const LevelOptions& options) {
  ScanTables tables;
  ScanPlan& plan = tables.plan;
  plan.stored = layout.stored;
  plan.picture = upright_size(layout.stored, layout.orientation);
  plan.orientation = layout.orientation;
  plan.shift = layout.format.shift;
  plan.wide = layout.format.bytes_per_sample() == 2 ? 1 : 0;
  plan.values = 1 << layout.format.bits;
  tables.grey = grey_table(layout.format.bits, false);
  const std::vector<std::uint8_t> full = grey_table(layout.format.bits, true);
  tables.grey.insert(tables.grey.end(), full.begin(), full.end());
  plan.window = cascade.window;
  const std::vector<Level> levels = plan_levels(plan.window, plan.picture, options);
  choose_tile_rows(levels, plan);
  add_cascade(cascade, tables);
  add_levels(plan.picture, levels, tables);
  return tables;
}

}  // namespace facepipe::cascade
