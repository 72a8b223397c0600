#include "detector/cascade/cuda/plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "detector/cascade/cpu/tables.h"
#include "detector/cascade/grey_table.h"

namespace facepipe::detector::cascade {
namespace {

int ceil_divided(int value, int by) { return (value + by - 1) / by; }

/// Returns the layout of a tile's sums. Its stride is odd, so that the rows of a column lie in
/// different banks.
TileLayout layout_of(const ScanPlan& plan, int step) {
  const int columns = tile_size(plan, step).width + 1;
  const std::ptrdiff_t half = (columns + 1) / 2;
  return step == 1 ? TileLayout{1, columns | 1, 0} : TileLayout{2, (2 * half) | 1, half};
}

DeviceNode device_node(const Cascade& cascade, const NodeTable& from, const Tree& tree,
                       std::int32_t index) {
  DeviceNode node;
  std::ranges::copy(from.feature.corners, node.corners);
  std::ranges::transform(from.feature.weights, node.weights,
                         [](float weight) { return static_cast<std::int32_t>(weight); });
  node.threshold = from.threshold;
  const auto set_child = [&](std::int32_t child, std::int32_t& step, float& leaf) {
    if (child > 0)
      step = child - index;
    else
      leaf = cascade.leaves[tree.first_leaf + static_cast<std::uint32_t>(-child)];
  };
  set_child(from.left, node.left, node.left_leaf);
  set_child(from.right, node.right, node.right_leaf);
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

/// Holds the factor of the sum at each corner of a feature's rectangles, ordered by y and x.
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

std::int32_t in_units(double leaves, float units) {
  return static_cast<std::int32_t>(std::lrint(leaves * double{units}));
}

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

/// Returns the sign of the first corner's factor. If rectangles cancel each other out, there is no
/// corner, and the sign is 1.
int sign_of(const Corners& corners) {
  return !corners.empty() && corners.begin()->second < 0 ? -1 : 1;
}

/// Returns the factors of a stump's corners. If the first factor is negative, all signs are
/// changed.
std::vector<std::int32_t> counts_of(const Corners& corners) {
  const int sign = sign_of(corners);
  std::vector<std::int32_t> counts;
  for (const auto& [at, count] : corners) counts.push_back(sign * count);
  return counts;
}

std::int32_t kind_of(const std::vector<std::int32_t>& counts) {
  const auto* const kind = std::ranges::find_if(kStumpKinds, [&](const StumpKind& one) {
    return std::ranges::equal(std::span(one.counts, static_cast<std::size_t>(one.corners)), counts);
  });
  return static_cast<std::int32_t>(kind - std::begin(kStumpKinds));
}

void append_words(std::vector<std::uint32_t> words, int pairs, std::vector<WordPair>& to) {
  words.resize(2 * static_cast<std::size_t>(pairs));
  for (std::size_t i = 0; i < words.size(); i += 2) to.push_back({{words[i], words[i + 1]}});
}

void append_run_head(const std::vector<std::int32_t>& counts, std::size_t stumps,
                     std::vector<WordPair>& to) {
  const std::int32_t kind = kind_of(counts);
  std::vector<std::uint32_t> words{static_cast<std::uint32_t>(kind),
                                   static_cast<std::uint32_t>(stumps)};
  if (kind == kOtherKind)
    for (const std::int32_t count : counts) words.push_back(static_cast<std::uint32_t>(count));
  append_words(words, run_head_pairs(kind), to);
}

/// Holds a stump's decision in the form for stages in which each lane evaluates a window.
struct StumpDecision {
  float threshold = 0;
  float left = 0;
  float right = 0;
};

/// Returns the decision for the factors that counts_of() returns. If counts_of() has changed the
/// signs, the left and the right leaf are exchanged. The threshold is then moved slightly, so that
/// a value equal to the old threshold still leads to the old right leaf.
StumpDecision decision_of(const DeviceNode& stump, const Corners& corners) {
  if (sign_of(corners) > 0) return {stump.threshold, stump.left_leaf, stump.right_leaf};
  return {std::nextafter(-stump.threshold, std::numeric_limits<float>::infinity()),
          stump.right_leaf, stump.left_leaf};
}

/// Appends a stump, in one layout.
void append_stump(const DeviceNode& stump, const Corners& corners, const TileLayout& layout,
                  std::int32_t kind, float units, std::vector<WordPair>& to) {
  std::vector<std::uint32_t> words;
  for (const auto& [at, count] : corners)
    words.push_back(static_cast<std::uint32_t>(layout.at(at.second, at.first)) *
                    sizeof(std::uint32_t));
  words.resize(static_cast<std::size_t>(corners_of_kind(kind)));
  const StumpDecision decision = decision_of(stump, corners);
  words.push_back(bits_of(decision.threshold));
  words.push_back(
      static_cast<std::uint32_t>(in_units(double{decision.left} - double{decision.right}, units)));
  append_words(words, stump_pairs(kind), to);
}

std::int32_t rights_of(const std::vector<DeviceNode>& stumps, const std::vector<Corners>& corners,
                       const Stage& from, float units) {
  double rights = 0;
  for (std::size_t i = from.first_tree; i < from.first_tree + from.tree_count; ++i)
    rights += double{decision_of(stumps[i], corners[i]).right};
  return in_units(rights, units);
}

/// Appends a stage's stumps, in both layouts, run by run. Returns the number of runs.
std::int32_t append_runs(const std::vector<Corners>& corners, const Tables (&tables)[2],
                         const Stage& stage, float units, ScanTables& to) {
  std::map<std::vector<std::int32_t>, std::vector<std::size_t>> runs;
  for (std::size_t i = stage.first_tree; i < stage.first_tree + stage.tree_count; ++i)
    runs[counts_of(corners[i])].push_back(i);
  for (const auto& [counts, indices] : runs)
    for (std::size_t step = 0; step < 2; ++step) {
      append_run_head(counts, indices.size(), to.stumps[step]);
      for (const std::size_t i : indices)
        append_stump(to.nodes[step][i], corners[i], tables[step].layout, kind_of(counts), units,
                     to.stumps[step]);
    }
  return static_cast<std::int32_t>(runs.size());
}

/// Holds the corners of 32 stumps in the order of a StumpBlock. The lanes read their i-th words at
/// the same time. A word of 0 is not a corner.
class BlockCorners {
 public:
  explicit BlockCorners(std::size_t most) : most_(words_of(most)) {}

  [[nodiscard]] std::size_t most() const { return most_; }
  [[nodiscard]] std::uint32_t at(std::size_t lane, std::size_t i) const { return words_[i][lane]; }
  void set(std::size_t lane, std::size_t i, std::uint32_t corner) {
    words_[i][lane] = corner;
    if (corner != 0) ++in_bank_[i][bank_of(corner)];
  }

  /// Orders each stump's corners so that few lanes read from the same bank of shared memory at the
  /// same time. The position of a window doesn't matter, because it moves all corners by the same
  /// number of banks. Corners are exchanged as long as this reduces the number of pairs of lanes
  /// that read from the same bank.
  void spread() {
    while (spread_once()) {
    }
  }

 private:
  static constexpr std::size_t kBanks = 32;
  static std::size_t bank_of(std::uint32_t corner) { return corner % kBanks; }
  /// Returns how many words each lane reads for a number of corners.
  static std::size_t words_of(std::size_t corners) {
    return corners <= 6 ? 6 : corners <= 8 ? 8 : corners <= 9 ? 9 : 12;
  }

  /// Returns the number of conflicts that are avoided if the corner moves from word `from` to word
  /// `to`. A conflict is another lane that reads from the same bank.
  [[nodiscard]] int gain(std::uint32_t corner, std::size_t from, std::size_t to) const {
    return corner == 0 ? 0 : in_bank_[from][bank_of(corner)] - in_bank_[to][bank_of(corner)] - 1;
  }
  void move(std::uint32_t corner, std::size_t from, std::size_t to) {
    if (corner == 0) return;
    --in_bank_[from][bank_of(corner)];
    ++in_bank_[to][bank_of(corner)];
  }
  bool spread_once() {
    bool changed = false;
    for (std::size_t lane = 0; lane < 32; ++lane)
      for (std::size_t i = 0; i < most_; ++i)
        for (std::size_t j = 0; j < i; ++j) {
          std::uint32_t& a = words_[i][lane];
          std::uint32_t& b = words_[j][lane];
          if (bank_of(a) == bank_of(b) || gain(a, i, j) + gain(b, j, i) <= 0) continue;
          move(a, i, j);
          move(b, j, i);
          std::swap(a, b);
          changed = true;
        }
    return changed;
  }

  std::size_t most_;
  std::array<std::array<std::uint32_t, 32>, kMostCorners> words_{};
  std::array<std::array<int, kBanks>, kMostCorners> in_bank_{};
};

std::uint32_t block_word(int count, std::ptrdiff_t distance) {
  return static_cast<std::uint32_t>(count) << 16 | static_cast<std::uint32_t>(distance);
}

StumpBlock block_of(std::span<const std::size_t> stumps, const std::vector<DeviceNode>& nodes,
                    const std::vector<Corners>& corners, const TileLayout& layout, float units) {
  BlockCorners placed(corners[stumps.front()].size());
  for (std::size_t lane = 0; lane < stumps.size(); ++lane) {
    std::size_t i = 0;
    for (const auto& [at, count] : corners[stumps[lane]])
      placed.set(lane, i++, block_word(count, layout.at(at.second, at.first)));
  }
  placed.spread();
  StumpBlock block;
  block.most_corners = static_cast<std::int32_t>(placed.most());
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t i = 0; i < placed.most(); ++i)
      (i < 9 ? block.first[i / 4][lane].word[i % 4] : block.more[lane].word[i - 9]) =
          placed.at(lane, i);
  for (std::size_t lane = 0; lane < stumps.size(); ++lane) {
    const DeviceNode& stump = nodes[stumps[lane]];
    std::uint32_t* const word = block.first[2][lane].word;
    word[1] = bits_of(stump.threshold);
    word[2] = static_cast<std::uint32_t>(in_units(double{stump.left_leaf}, units));
    word[3] = static_cast<std::uint32_t>(in_units(double{stump.right_leaf}, units));
  }
  return block;
}

/// Appends a stage's stumps, in one layout.
void append_blocks(const std::vector<DeviceNode>& nodes, const std::vector<Corners>& corners,
                   const TileLayout& layout, const Stage& stage, float units,
                   std::vector<StumpBlock>& to) {
  std::vector<std::size_t> order(stage.tree_count);
  std::iota(order.begin(), order.end(), std::size_t{stage.first_tree});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return corners[i].size(); });
  for (std::size_t first = 0; first < order.size(); first += 32) {
    const std::size_t stumps = std::min(order.size() - first, std::size_t{32});
    to.push_back(block_of(std::span(order).subspan(first, stumps), nodes, corners, layout, units));
  }
}

/// Returns an upper bound for all sums that have one leaf of each of the stage's trees.
double most_leaves(const Cascade& cascade, const Stage& stage) {
  double most = 0;
  for (std::uint32_t i = stage.first_tree; i < stage.first_tree + stage.tree_count; ++i) {
    const Tree& tree = cascade.trees[i];
    double largest = 0;
    for (std::uint32_t leaf = 0; leaf < tree.leaf_count; ++leaf)
      largest = std::max(largest, std::abs(double{cascade.leaves[tree.first_leaf + leaf]}));
    most += largest;
  }
  return most;
}

/// Chooses units such that every sum fits in 32 bits. A sum consists of the right leaves, and of
/// differences (left leaf minus right leaf). It is at most three times the sum of the largest
/// leaves. A sum has one number more than the stage has trees, and rounding changes each number by
/// at most half a unit. One more half unit covers the errors of the host's additions.
void choose_units(const Cascade& cascade, const Stage& stage, DeviceStage& to) {
  constexpr int kBits = 30;
  const double largest = 3 * most_leaves(cascade, stage) + std::abs(double{stage.threshold});
  const double units = std::exp2(std::min(kBits, kBits - 1 - std::ilogb(largest + 0x1p-10)));
  const double wrong = stage.tree_count / 2.0 + 1;
  const double threshold = double{stage.threshold} * units;
  to.units = static_cast<float>(units);
  to.passes_from = static_cast<std::int32_t>(std::ceil(threshold + wrong));
  to.fails_below = static_cast<std::int32_t>(std::ceil(threshold - wrong));
}

/// After stages with about this many nodes, too few windows are left to give each lane a window.
constexpr std::uint32_t kLaneNodes = 330;

void add_stages(const Cascade& cascade, ScanTables& to) {
  std::uint32_t nodes = 0;
  ScanPlan& plan = to.plan;
  for (const Stage& stage : cascade.stages) {
    DeviceStage made;
    made.first_tree = static_cast<std::int32_t>(stage.first_tree);
    made.tree_count = static_cast<std::int32_t>(stage.tree_count);
    made.threshold = stage.threshold;
    choose_units(cascade, stage, made);
    for (std::uint32_t i = 0; i < stage.tree_count; ++i)
      nodes += cascade.trees[stage.first_tree + i].node_count;
    if (to.stages.empty() || nodes <= kLaneNodes) ++plan.cascade.lane_stages;
    to.stages.push_back(made);
  }
  plan.cascade.stage_count = static_cast<std::int32_t>(to.stages.size());
  for (const Tree& tree : cascade.trees)
    to.roots.push_back(static_cast<std::int32_t>(tree.first_node));
}

/// Returns the number of pairs of a stage's stumps and of the heads of their runs.
int pairs_of_stage(const std::vector<Corners>& corners, const Stage& stage) {
  int pairs = 0;
  std::set<std::vector<std::int32_t>> runs;
  for (std::size_t tree = stage.first_tree; tree < stage.first_tree + stage.tree_count; ++tree) {
    const std::vector<std::int32_t> counts = counts_of(corners[tree]);
    pairs += stump_pairs(kind_of(counts));
    if (runs.insert(counts).second) pairs += run_head_pairs(kind_of(counts));
  }
  return pairs;
}

/// Returns how many of the first `most` stages fit into the kernel's parameter.
std::int32_t stages_with_room(const Cascade& cascade, const std::vector<Corners>& corners,
                              std::int32_t most) {
  int pairs = 0;
  for (std::int32_t i = 0; i < most; ++i) {
    pairs += pairs_of_stage(corners, cascade.stages[static_cast<std::size_t>(i)]);
    if (pairs > kMostStumpPairs) return i;
  }
  return most;
}

/// Adds stumps in their fastest forms. If their factors are too large for these forms, or if the
/// first stage doesn't fit into the parameter, kernels use nodes instead.
void add_stumps(const Cascade& cascade, const Tables (&tables)[2], ScanTables& to) {
  // largest factor of a StumpBlock
  constexpr int kMostCount = std::numeric_limits<std::int16_t>::max();
  std::vector<Corners> corners;
  for (const Node& node : cascade.nodes) {
    corners.push_back(corners_of(cascade.features[node.feature]));
    for (const auto& [at, count] : corners.back())
      if (std::abs(count) > kMostCount) return;
  }
  const std::int32_t lane_stages = stages_with_room(cascade, corners, to.plan.cascade.lane_stages);
  if (lane_stages == 0) return;
  to.plan.cascade.lane_stages = lane_stages;
  to.plan.cascade.only_stumps = 1;
  for (std::size_t i = 0; i < to.stages.size(); ++i) {
    DeviceStage& stage = to.stages[i];
    stage.first_pair = static_cast<std::int32_t>(to.stumps[0].size());
    stage.first_block = static_cast<std::int32_t>(to.blocks[0].size());
    if (static_cast<std::int32_t>(i) < lane_stages) {
      stage.runs = append_runs(corners, tables, cascade.stages[i], stage.units, to);
      stage.rights = rights_of(to.nodes[0], corners, cascade.stages[i], stage.units);
    } else {
      for (std::size_t step = 0; step < 2; ++step)
        append_blocks(to.nodes[step], corners, tables[step].layout, cascade.stages[i], stage.units,
                      to.blocks[step]);
    }
  }
}

void add_cascade(const Cascade& cascade, ScanTables& to) {
  Tables tables[2];
  for (std::size_t i = 0; i < 2; ++i) {
    tables[i] = make_tables(cascade, layout_of(to.plan, static_cast<int>(i) + 1));
    to.nodes[i] = device_nodes(cascade, tables[i]);
    to.plan.cascade.layouts[i] = {static_cast<std::int32_t>(tables[i].layout.stride),
                                  static_cast<std::int32_t>(tables[i].layout.odd)};
  }
  add_stages(cascade, to);
  if (cascade.only_stumps()) add_stumps(cascade, tables, to);
}

std::int32_t append_axis(std::vector<AxisPixel>& to, int from, int length) {
  const auto first = static_cast<std::int32_t>(to.size());
  const std::vector<AxisPixel> pixels = axis_pixels(from, length);
  to.insert(to.end(), pixels.begin(), pixels.end());
  return first;
}

/// Returns the number of sums of a tile whose places have this step.
int count_sums(const ScanPlan& plan, int step) {
  return static_cast<int>(layout_of(plan, step).stride) * (tile_size(plan, step).height + 1);
}

/// Chooses large tiles, because fewer pixels are then made twice. But there must be enough tiles
/// for all multiprocessors of a large device, and the shared memory must have room for two tiles.
void choose_tile_rows(const std::vector<Level>& levels, ScanPlan& plan) {
  constexpr int kWantedTiles = 264;
  constexpr int kMostSums = 18500;
  constexpr std::int32_t kRows[] = {kMostTileRows, 64, 32, 16};
  const auto tiles = [&] {
    int count = 0;
    for (const Level& level : levels)
      count += ceil_divided(level.places.width, kTileColumns) *
               ceil_divided(level.places.height, plan.cascade.tile_rows[level.step - 1]);
    return count;
  };
  for (const std::int32_t rows : kRows) {
    plan.cascade.tile_rows[0] = rows;
    plan.cascade.tile_rows[1] = rows / 2;
    if (tiles() >= kWantedTiles && count_sums(plan, 2) <= kMostSums) return;
  }
}

void add_levels(Size picture, const std::vector<Level>& levels, ScanTables& to) {
  ScanPlan& plan = to.plan;
  for (const Level& level : levels) {
    DeviceLevel made{level.scale, level.step, level.places, level.box_size, 0, 0, 0, 0};
    made.words = ceil_divided(level.places.width, kWordPlaces);
    made.first_word = plan.levels.word_count;
    made.columns = append_axis(to.axes, picture.width, level.size.width);
    made.rows = append_axis(to.axes, picture.height, level.size.height);
    plan.levels.word_count += made.words * level.places.height;
    const auto number = static_cast<std::int32_t>(to.levels.size());
    for (int row = 0; row < level.places.height; row += plan.cascade.tile_rows[level.step - 1])
      for (int column = 0; column < level.places.width; column += kTileColumns)
        to.tiles.push_back({number, column, row});
    to.levels.push_back(made);
  }
  // Tiles with the most places come first. So the last tiles are small, and all blocks end at about
  // the same time.
  const auto places = [&](const DeviceTile& tile) {
    const DeviceLevel& level = to.levels[static_cast<std::size_t>(tile.level)];
    return std::min(kTileColumns, level.places.width - tile.column) *
           std::min(plan.cascade.tile_rows[level.step - 1], level.places.height - tile.row);
  };
  std::ranges::stable_sort(to.tiles, std::greater{}, places);
  plan.levels.count = static_cast<std::int32_t>(to.levels.size());
  plan.levels.tile_count = static_cast<std::int32_t>(to.tiles.size());
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
  plan.picture.stored = layout.stored;
  plan.picture.upright = upright_size(layout.stored, layout.orientation);
  plan.picture.orientation = layout.orientation;
  plan.picture.shift = layout.format.shift;
  plan.picture.wide = layout.format.bytes_per_sample() == 2 ? 1 : 0;
  plan.picture.values = 1 << layout.format.bits;
  tables.grey = grey_table(layout.format.bits, false);
  const std::vector<std::uint8_t> full = grey_table(layout.format.bits, true);
  tables.grey.insert(tables.grey.end(), full.begin(), full.end());
  plan.cascade.window = cascade.window;
  const std::vector<Level> levels = plan_levels(plan.cascade.window, plan.picture.upright, options);
  choose_tile_rows(levels, plan);
  add_cascade(cascade, tables);
  add_levels(plan.picture.upright, levels, tables);
  return tables;
}

}  // namespace facepipe::detector::cascade
