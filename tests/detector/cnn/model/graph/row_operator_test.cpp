// Tests the types of values with any number of axes: what operators accept, and what they refuse.
#include "detector/cnn/model/graph/row_operator.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace facepipe::detector::graph {
namespace {

using Extents = std::vector<std::int64_t>;

std::vector<RowType> types(const RowOperator& op, const std::vector<RowType>& inputs,
                           std::size_t outputs = 1) {
  return row_types(op, inputs, outputs,
                   [](const std::string& reason) { throw std::runtime_error(reason); });
}

RowType integers(Extents extents, std::int64_t low, std::int64_t high) {
  return {std::move(extents), {{low, high}}};
}

struct Computed {
  RowOperator op;
  std::vector<RowType> inputs;
  Extents extents;
  std::vector<IntegerRange> ranges{};
};

TEST(RowOperator, ComputesExtentsAndRanges) {
  const RowType kRows{{1, 84, 6}};
  const RowType kColumns{{84, 3}, {{0, 0}, {0, 2}, {0, 83}}};
  const Computed kComputed[] = {
      {{.type = "MatMul"}, {{{1, 2, 5, 3}}, {{1, 2, 3, 7}}}, {1, 2, 5, 7}},
      {{.type = "Mul"}, {kRows, {{}}}, {1, 84, 6}},
      {{.type = "Sub"}, {{{1, 2, 1}}, {{84}}}, {1, 2, 84}},
      {{.type = "Softmax", .axis = -1}, {kRows}, {1, 84, 6}},
      {{.type = "Concat", .axis = -1}, {kRows, {{1, 84, 1}}}, {1, 84, 7}},
      {{.type = "ReduceMax", .numbers = {-1}}, {kRows}, {1, 84, 1}},
      {{.type = "ReduceMax", .numbers = {1}, .keeps = false}, {kRows}, {1, 6}},
      {{.type = "ArgMax", .axis = 2, .keeps = false}, {kRows}, {1, 84}, {{0, 5}}},
      {{.type = "Unsqueeze", .numbers = {-1, 0}}, {kRows}, {1, 1, 84, 6, 1}},
      {{.type = "Squeeze", .numbers = {0}}, {kRows}, {84, 6}},
      {{.type = "Flatten", .axis = 2}, {kRows}, {84, 6}},
      {{.type = "Expand", .numbers = {5, 1, 6}}, {{{1, 1, 6}}}, {5, 1, 6}},
      {{.type = "Tile", .numbers = {1, 2, 3}}, {kRows}, {1, 168, 18}},
      {{.type = "Slice", .slices = {{1, 4, INT64_MAX, 3}, {-1, -2, 6, 1}}}, {kRows}, {1, 27, 2}},
      {{.type = "Slice", .slices = {{1, 1, 3, 1}}}, {kColumns}, {84, 2}, {{0, 2}, {0, 83}}},
      {{.type = "Gather", .axis = 1}, {kColumns, integers({}, 2, 2)}, {84}, {{0, 83}}},
      {{.type = "Gather", .axis = 1}, {kColumns, integers({2}, 0, 2)}, {84, 2}, {{0, 83}}},
      {{.type = "Gather", .axis = 1},
       {kColumns, {{2}, {{0, 0}, {2, 2}}}},
       {84, 2},
       {{0, 0}, {0, 83}}},
      {{.type = "Gather", .axis = 1}, {kRows, integers({}, -1, -1)}, {1, 6}},
      {{.type = "GatherElements", .axis = 1}, {kRows, integers({1, 20, 6}, 0, 83)}, {1, 20, 6}},
      {{.type = "GatherND"}, {{{1, 3, 84}}, kColumns}, {84}},
      {{.type = "Cast"}, {kColumns}, {84, 3}},
      {{.type = "Cast", .to_floats = false}, {kColumns}, {84, 3}, kColumns.integers},
      {{.type = "Div"}, {integers({20}, 0, 167), integers({}, 2, 2)}, {20}, {{0, 83}}},
      {{.type = "Mod"}, {integers({20}, 0, 167), integers({}, 2, 2)}, {20}, {{0, 1}}},
      {{.type = "Mul"}, {integers({20}, -3, 4), integers({}, -2, 5)}, {20}, {{-15, 20}}},
      {{.type = "Sub"}, {integers({20}, 1, 4), integers({}, -2, 5)}, {20}, {{-4, 6}}},
  };
  for (const Computed& computed : kComputed) {
    SCOPED_TRACE(computed.op.type);
    const RowType type = types(computed.op, computed.inputs).at(0);
    EXPECT_EQ(type.extents, computed.extents);
    EXPECT_EQ(type.integers, computed.ranges);
  }
}

TEST(RowOperator, HasSeveralResults) {
  const auto best = types({.type = "TopK", .axis = -1, .numbers = {20}}, {{{1, 84}}}, 2);
  EXPECT_EQ(best[0].extents, (Extents{1, 20}));
  EXPECT_TRUE(best[0].floats());
  EXPECT_EQ(best[1].integers, (std::vector<IntegerRange>{{0, 83}}));
  const auto parts = types({.type = "Split", .axis = -1, .numbers = {1, 2}},
                           {{{84, 3}, {{0, 0}, {0, 2}, {0, 83}}}}, 2);
  EXPECT_EQ(parts[1].extents, (Extents{84, 2}));
  EXPECT_EQ(parts[1].integers, (std::vector<IntegerRange>{{0, 2}, {0, 83}}));
}

TEST(RowOperator, ThatALibraryCouldNotComputeSafelyIsRefused) {
  const RowType kRows{{1, 84, 6}};
  const RowType kAny = integers({20}, -INT32_MAX, INT32_MAX);
  struct Refused {
    const char* reason;
    RowOperator op;
    std::vector<RowType> inputs;
    std::size_t outputs = 1;
  };
  const Refused kRefused[] = {
      {"has indices from 0 to 84, but only 84 values",
       {.type = "Gather", .axis = 1},
       {kRows, integers({20}, 0, 84)}},
      {"has indices from -1 to 5", {.type = "Gather", .axis = 2}, {kRows, integers({20}, -1, 5)}},
      {"has indices from -2147483647", {.type = "GatherElements"}, {{{20}}, kAny}},
      {"has indices that are no integers", {.type = "Gather", .axis = 1}, {kRows, kRows}},
      {"has more indices than values",
       {.type = "GatherElements", .axis = 1},
       {kRows, integers({1, 20, 7}, 0, 1)}},
      {"has indices from 0 to 3, but only 1 values",
       {.type = "GatherND"},
       {kRows, {{20, 2}, {{0, 3}, {0, 0}}}}},
      {"has indices with too many axes", {.type = "GatherND"}, {kRows, integers({20, 4}, 0, 0)}},
      {"takes 85 of 84 values", {.type = "TopK", .axis = 1, .numbers = {85}}, {kRows}, 2},
      {"takes 0 of 84 values", {.type = "TopK", .axis = 1, .numbers = {0}}, {kRows}, 2},
      {"has a wrong number of outputs", {.type = "TopK", .axis = 1, .numbers = {5}}, {kRows}, 1},
      {"has an axis that its input lacks", {.type = "Softmax", .axis = 3}, {kRows}},
      {"has an axis that its input lacks", {.type = "ReduceMax", .numbers = {-4}}, {kRows}},
      {"multiplies matrices that don't fit", {.type = "MatMul"}, {{{2, 3}}, {{2, 3}}}},
      {"has inputs that don't fit", {.type = "Sub"}, {kRows, {{5}}}},
      {"has integers and floats", {.type = "Sub"}, {kRows, integers({}, 0, 0)}},
      {"may compute integers that are too large", {.type = "Add"}, {kAny, kAny}},
      {"may divide numbers that aren't positive",
       {.type = "Div"},
       {integers({20}, 0, 9), integers({}, 0, 2)}},
      {"may divide numbers that aren't positive", {.type = "Mod"}, {kAny, integers({}, 2, 2)}},
      {"has parts that don't fit", {.type = "Split", .axis = 2, .numbers = {5, 2}}, {kRows}, 2},
      {"has parts that don't fit", {.type = "Split", .axis = 2, .numbers = {7, -1}}, {kRows}, 2},
      {"joins values that don't fit", {.type = "Concat", .axis = 1}, {kRows, {{1, 84, 7}}}},
      {"takes nothing", {.type = "Slice", .slices = {{1, 5, 5, 1}}}, {kRows}},
      {"takes nothing", {.type = "Slice", .slices = {{1, 0, 5, 0}}}, {kRows}},
      {"takes nothing", {.type = "Slice", .slices = {{1, 9, INT64_MIN, -1}}}, {kRows}},
      {"removes an axis that isn't 1", {.type = "Squeeze", .numbers = {1}}, {kRows}},
      {"names an axis twice", {.type = "Unsqueeze", .numbers = {0, 0}}, {kRows}},
      {"has an impossible result", {.type = "Tile", .numbers = {1, INT64_MAX, 1}}, {kRows}},
      {"has an impossible result", {.type = "Expand", .numbers = {0}}, {{{1}}}},
      {"has a result with too many axes",
       {.type = "Unsqueeze", .numbers = {0, 1, 2, 3, 4, 5}},
       {kRows}},
  };
  for (const Refused& refused : kRefused) {
    SCOPED_TRACE(refused.op.type);
    try {
      (void)types(refused.op, refused.inputs, refused.outputs);
      ADD_FAILURE() << "accepted: " << refused.reason;
    } catch (const std::runtime_error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(refused.reason)) << error.what();
    }
  }
}

}  // namespace
}  // namespace facepipe::detector::graph
