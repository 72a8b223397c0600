// Computes the types of values that have any number of axes. Attention and the end of some networks
// compute such values, for example rows of boxes.
//
// Only libraries on the CPU compute these operators. Libraries trust the numbers of a file. So this
// code knows a range for each integer, and refuses an index that may lie outside of the values that
// it selects from. All extents are known before a network runs: no operator has a result whose size
// depends on the picture's content.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::graph {

/// Describes a value. `integers` is as in Value.
struct RowType {
  std::vector<std::int64_t> extents;
  std::vector<IntegerRange> integers{};

  [[nodiscard]] bool floats() const { return integers.empty(); }
};

/// Returns the smallest range that contains all `ranges`, which aren't empty.
[[nodiscard]] IntegerRange joined(std::span<const IntegerRange> ranges);

/// Returns the types of an operator's `outputs` results. Calls `fail` with the reason if the
/// operator can't take inputs of these types; `fail` must throw.
[[nodiscard]] std::vector<RowType> row_types(const RowOperator& op, std::span<const RowType> inputs,
                                             std::size_t outputs,
                                             const std::function<void(const std::string&)>& fail);

}  // namespace facepipe::detector::graph
