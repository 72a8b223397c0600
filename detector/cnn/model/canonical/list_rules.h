// Computes the results of nodes that work on short lists of numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "detector/cnn/model/canonical/symbolic_shapes.h"

namespace facepipe::detector {

/// Computes a node of shape arithmetic: Cast, Floor, Ceil, Gather, Unsqueeze, Squeeze, Concat,
/// Slice, Add, Sub, Mul, Div. `inputs` are the node's inputs; an input that isn't a known list is
/// null. Returns nullopt for other nodes, and if the result can't be computed.
[[nodiscard]] std::optional<SizeList> computed_list(const graph::OnnxNode& node,
                                                    const std::vector<const SizeList*>& inputs);

/// Describes what a Slice takes from one axis. `end` is the index after the last one.
struct SliceRange {
  std::int64_t axis = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t step = 1;

  /// Returns the first index and the index after the last one, on an axis with `count` elements,
  /// for a step of 1. Negative indices count from the axis's end. Indices beyond its ends are
  /// clamped.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> within(std::int64_t count) const;
};

/// Reads the ranges of a Slice. The ranges are inputs, or attributes before operator set 10. For
/// `inputs`, see computed_list(). Returns nullopt if a number isn't constant, or if an axis isn't
/// below `rank`.
[[nodiscard]] std::optional<std::vector<SliceRange>> slice_ranges(
    const graph::OnnxNode& node, const std::vector<const SizeList*>& inputs, std::size_t rank);

}  // namespace facepipe::detector
