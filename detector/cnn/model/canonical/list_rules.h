// What nodes compute from short lists of numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "detector/cnn/model/canonical/symbolic_shapes.h"

namespace facepipe::detector {

/// Computes a node of shape arithmetic: Cast, Floor, Ceil, Gather, Unsqueeze, Squeeze, Concat,
/// Slice, Add, Sub, Mul, Div. `inputs` are the node's inputs, null for those that are no known
/// lists. Returns nullopt for all else.
[[nodiscard]] std::optional<SizeList> computed_list(const graph::OnnxNode& node,
                                                    const std::vector<const SizeList*>& inputs);

/// What Slice does on each axis: the axis, the first index, the index behind the last, the step.
struct SliceRange {
  std::int64_t axis = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t step = 1;

  /// Returns the first index and the one behind the last on an axis of `count` places, for a step
  /// of 1. Negative indices count from the end, and others end with the axis.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> within(std::int64_t count) const;
};

/// Reads a Slice, whose ranges are inputs, or attributes before operator set 10. `inputs` as above.
/// Returns nullopt if a number isn't constant, or an axis isn't below `rank`.
[[nodiscard]] std::optional<std::vector<SliceRange>> slice_ranges(
    const graph::OnnxNode& node, const std::vector<const SizeList*>& inputs, std::size_t rank);

}  // namespace facepipe::detector
