#include "detector/cascade/cpu/tables.h"

#include <algorithm>
#include <cmath>

namespace facepipe::detector::cascade {
namespace {

template <std::size_t Rects>
FeatureTable<Rects> feature_table(const Feature& feature, const TileLayout& layout) {
  FeatureTable<Rects> table;
  for (std::size_t i = 0; i < Rects && static_cast<int>(i) < feature.rect_count; ++i) {
    const WeightedRect& rect = feature.rects[i];
    const auto corner = [&](int x, int y) {
      return static_cast<std::int32_t>(layout.at(rect.x + x, rect.y + y));
    };
    table.corners[4 * i] = corner(0, 0);
    table.corners[4 * i + 1] = corner(rect.width, 0);
    table.corners[4 * i + 2] = corner(0, rect.height);
    table.corners[4 * i + 3] = corner(rect.width, rect.height);
    table.weights[i] = static_cast<float>(rect.weight);
  }
  return table;
}

/// Makes the table of a tree that has only one node.
template <std::size_t Rects>
StumpTable<Rects> stump_table(const Cascade& cascade, const Tree& tree, const TileLayout& layout) {
  const Node& node = cascade.nodes[tree.first_node];
  const auto leaf = [&](std::int32_t child) {
    return cascade.leaves[tree.first_leaf + static_cast<std::uint32_t>(-child)];
  };
  return {feature_table<Rects>(cascade.features[node.feature], layout), node.threshold,
          leaf(node.left), leaf(node.right)};
}

// Returns a bound of the error of a sum in single precision. If the magnitudes of n numbers add up
// to `magnitude`, the error of n additions is at most n times half a unit in the last place of
// `magnitude`. The bound is larger than that, because the bound itself and the exact sum are
// rounded, too.
float doubt_of(double magnitude, std::uint32_t summands, float threshold) {
  constexpr double kUnit = 0x1p-23;
  return static_cast<float>(kUnit * ((summands + 1) * magnitude + 2 * std::abs(threshold)));
}

StageTable stage_table(const Cascade& cascade, const Stage& stage, Tables& tables) {
  StageTable table{static_cast<std::uint32_t>(tables.pairs.size()),
                   0,
                   static_cast<std::uint32_t>(tables.triples.size()),
                   0,
                   stage,
                   0};
  double magnitude = 0;
  for (std::uint32_t i = 0; i < stage.tree_count; ++i) {
    const Tree& tree = cascade.trees[stage.first_tree + i];
    double largest = 0;
    for (std::uint32_t leaf = 0; leaf < tree.leaf_count; ++leaf)
      largest = std::max(largest, std::abs(double{cascade.leaves[tree.first_leaf + leaf]}));
    magnitude += largest;
    if (!cascade.only_stumps()) continue;
    if (cascade.features[cascade.nodes[tree.first_node].feature].rect_count == 2)
      tables.pairs.push_back(stump_table<2>(cascade, tree, tables.layout));
    else
      tables.triples.push_back(stump_table<3>(cascade, tree, tables.layout));
  }
  table.pair_count = static_cast<std::uint32_t>(tables.pairs.size()) - table.first_pair;
  table.triple_count = static_cast<std::uint32_t>(tables.triples.size()) - table.first_triple;
  table.doubt = doubt_of(magnitude, stage.tree_count, stage.threshold);
  return table;
}

}  // namespace

Tables make_tables(const Cascade& cascade, const TileLayout& layout) {
  Tables tables;
  tables.layout = layout;
  for (const Node& node : cascade.nodes) {
    const Feature& feature = cascade.features[node.feature];
    tables.nodes.push_back({feature_table<3>(feature, layout), feature_table<2>(feature, layout),
                            feature.rect_count, node.threshold, node.left, node.right});
  }
  for (const Tree& tree : cascade.trees)
    tables.widest_tree = std::max(tables.widest_tree, tree.node_count);
  for (const Stage& stage : cascade.stages)
    tables.stages.push_back(stage_table(cascade, stage, tables));
  return tables;
}

}  // namespace facepipe::detector::cascade
