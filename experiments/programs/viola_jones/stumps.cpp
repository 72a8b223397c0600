#include "experiments/programs/viola_jones/stumps.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace facepipe::viola_jones {
namespace {

std::uint16_t edge(int pixels, double factor) {
  return static_cast<std::uint16_t>(std::lround(pixels * factor));
}

Edges edges_of(int x, int y, int width, int height, double factor) {
  return {edge(x, factor), edge(y, factor), edge(x + width, factor), edge(y + height, factor)};
}

int area(const Edges& edges) { return (edges.right - edges.left) * (edges.bottom - edges.top); }

std::int32_t in_units(float value) {
  return static_cast<std::int32_t>(std::lround(static_cast<double>(value) * kUnitsOfOne));
}

ScaledStump stump_of(const detector::cascade::Cascade& cascade, const detector::cascade::Tree& tree,
                     double factor, double inverse_area) {
  const detector::cascade::Node& node = cascade.nodes[tree.first_node];
  const detector::cascade::Feature& feature = cascade.features[node.feature];
  ScaledStump stump;
  double others = 0;  // sum of weight * area over all rectangles except the first
  for (std::size_t i = 0; i < static_cast<std::size_t>(feature.rect_count); ++i) {
    const detector::cascade::WeightedRect& rect = feature.rects[i];
    stump.rects[i] = edges_of(rect.x, rect.y, rect.width, rect.height, factor);
    stump.weights[i] = static_cast<float>(rect.weight * inverse_area);
    if (i > 0) others += static_cast<double>(stump.weights[i]) * area(stump.rects[i]);
  }
  stump.weights[0] = static_cast<float>(-others / area(stump.rects[0]));
  stump.threshold = node.threshold;
  const auto leaf = [&](std::int32_t child) {
    return in_units(cascade.leaves[tree.first_leaf + static_cast<std::uint32_t>(-child)]);
  };
  stump.below = leaf(node.left);
  stump.above = leaf(node.right);
  return stump;
}

void check_range(const ScaledCascade& cascade) {
  for (const StageSpan& stage : cascade.stages) {
    std::int64_t most = 0;
    for (std::int32_t i = stage.first; i < stage.first + stage.count; ++i) {
      const ScaledStump& stump = cascade.stumps[static_cast<std::size_t>(i)];
      most += std::max(std::abs(std::int64_t{stump.below}), std::abs(std::int64_t{stump.above}));
    }
    if (most > std::numeric_limits<std::int32_t>::max())
      throw std::invalid_argument("a cascade of a stage whose leaves are too large");
  }
}

}  // namespace

ScaledCascade scaled(const detector::cascade::Cascade& cascade, double factor) {
  if (!cascade.only_stumps()) throw std::invalid_argument("a cascade of trees, not of stumps");
  if (cascade.stages.size() > kMostStages)
    throw std::invalid_argument("a cascade of more than 64 stages");
  ScaledCascade result;
  result.inner = edges_of(1, 1, cascade.window.width - 2, cascade.window.height - 2, factor);
  const double inverse_area = 1.0 / area(result.inner);
  result.inverse_area = static_cast<float>(inverse_area);
  for (const detector::cascade::Tree& tree : cascade.trees)
    result.stumps.push_back(stump_of(cascade, tree, factor, inverse_area));
  for (const detector::cascade::Stage& stage : cascade.stages)
    result.stages.push_back({static_cast<std::int32_t>(stage.first_tree),
                             static_cast<std::int32_t>(stage.tree_count),
                             in_units(stage.threshold)});
  check_range(result);
  return result;
}

}  // namespace facepipe::viola_jones
