#include "detector/cascade/cuda/plan.h"

#include <algorithm>
#include <cmath>

#include "detector/cascade/cpu/tables.h"
#include "detector/cascade/grey_table.h"

namespace facepipe::cascade {
namespace {

int ceil_divided(int value, int by) { return (value + by - 1) / by; }

/// Of a tile with all its places. An odd stride keeps the rows of a column in different banks.
TileLayout layout_of(Size window, int step) {
  const int columns = (kTilePlaces - 1) * step + window.width + 1;
  const std::ptrdiff_t half = (columns + 1) / 2;
  return step == 1 ? TileLayout{1, columns | 1, 0} : TileLayout{2, (2 * half) | 1, half};
}

int rows_of_sums(Size window, int step) { return (kTilePlaces - 1) * step + window.height + 1; }

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

void add_cascade(const Cascade& cascade, ScanTables& to) {
  for (int step : {1, 2}) {
    const TileLayout layout = layout_of(cascade.window, step);
    const Tables tables = make_tables(cascade, layout);
    to.nodes[step - 1] = device_nodes(cascade, tables);
    to.plan.layouts[step - 1] = {static_cast<std::int32_t>(layout.stride),
                                 static_cast<std::int32_t>(layout.odd)};
    to.plan.words_of_sums =
        std::max(to.plan.words_of_sums,
                 static_cast<std::int32_t>(layout.stride) * rows_of_sums(cascade.window, step));
    if (step == 2) continue;
    for (const StageTable& stage : tables.stages)
      to.stages.push_back({static_cast<std::int32_t>(stage.exact.first_tree),
                           static_cast<std::int32_t>(stage.exact.tree_count), stage.exact.threshold,
                           stage.doubt});
  }
  for (const Tree& tree : cascade.trees)
    to.roots.push_back(static_cast<std::int32_t>(tree.first_node));
  to.plan.window = cascade.window;
  to.plan.stage_count = static_cast<std::int32_t>(to.stages.size());
}

std::int32_t append_axis(std::vector<AxisPixel>& to, int from, int length) {
  const auto first = static_cast<std::int32_t>(to.size());
  const std::vector<AxisPixel> pixels = axis_pixels(from, length);
  to.insert(to.end(), pixels.begin(), pixels.end());
  return first;
}

void add_levels(Size picture, const LevelOptions& options, ScanTables& to) {
  ScanPlan& plan = to.plan;
  for (const Level& level : plan_levels(plan.window, picture, options)) {
    DeviceLevel made{level.scale, level.step, level.places, level.box_size, 0, 0, 0, 0, 0, 0};
    made.words = made.tiles_across = ceil_divided(level.places.width, kTilePlaces);
    made.first_word = plan.word_count;
    made.first_tile = plan.tile_count;
    made.columns = append_axis(to.axes, picture.width, level.size.width);
    made.rows = append_axis(to.axes, picture.height, level.size.height);
    plan.word_count += made.words * level.places.height;
    plan.tile_count += made.tiles_across * ceil_divided(level.places.height, kTilePlaces);
    to.levels.push_back(made);
  }
  plan.level_count = static_cast<std::int32_t>(to.levels.size());
}

}  // namespace

std::vector<AxisPixel> axis_pixels(int from, int length) {
  std::vector<AxisPixel> pixels;
  const double scale = 1.0 / (static_cast<double>(length) / from);
  for (int i = 0; i < length; ++i) {
    const double at = scale * (i + 0.5) - 0.5;
    const auto first = static_cast<int>(std::floor(at));
    if (first < 0)
      pixels.push_back({0, 0, 0});
    else if (first >= from - 1)
      pixels.push_back({from - 1, from - 1, 0});
    else
      pixels.push_back({first, first + 1, static_cast<int>(std::lrint((at - first) * 256))});
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
  add_cascade(cascade, tables);
  add_levels(plan.picture, options, tables);
  return tables;
}

}  // namespace facepipe::cascade
