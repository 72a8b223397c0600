// These tests check numbers that depend on the picture's size, and passes that make Reshapes and
// Resizes independent of the size.
#include <gtest/gtest.h>

#include "detector/cnn/model/canonical/passes.h"
#include "detector/cnn/model/canonical/regroup.h"
#include "tests/detector/cnn/model/canonical/same_outputs.h"

namespace facepipe::detector {
namespace {

using test::count_of;
using test::expect_same_outputs;
using test::OnnxBuilder;
using test::rewritten;
using Integers = std::vector<std::int64_t>;

constexpr SizeNumber kHeight{1, 1, 1, 0};
constexpr SizeNumber kWidth{1, 1, 0, 1};

SizeNumber part(const SizeNumber& of, std::int64_t by) { return *quotient(of, {by, 1, 0, 0}); }
SizeNumber number(std::int64_t value) { return *size_number(value); }

TEST(SizeNumber, ComputesWithUnknownSides) {
  const SizeNumber eighth = part(kHeight, 8);
  EXPECT_EQ(product(eighth, number(2)), part(kHeight, 4));
  EXPECT_EQ(sum(eighth, eighth), part(kHeight, 4));
  EXPECT_EQ(difference(kHeight, eighth), (SizeNumber{7, 8, 1, 0}));
  EXPECT_EQ(quotient(eighth, kHeight), (SizeNumber{1, 8, 0, 0}));
  EXPECT_EQ(quotient(number(6), number(-4)), (SizeNumber{-3, 2, 0, 0}));
  EXPECT_EQ(sum(kHeight, kWidth), std::nullopt);
  EXPECT_EQ(sum(kHeight, number(0)), kHeight);
  EXPECT_EQ(quotient(kHeight, number(0)), std::nullopt);
}

TEST(SizeNumber, IsWholeIfItIsForEverySize) {
  EXPECT_TRUE(part(kHeight, 32).whole());
  EXPECT_FALSE(part(kHeight, 64).whole());
  EXPECT_FALSE(part(kHeight, 3).whole());
  EXPECT_TRUE(part(*product(kHeight, kWidth), 1024).whole());
  EXPECT_FALSE(quotient(number(1), kHeight)->whole());
  EXPECT_EQ(part(kHeight, 8).integer(), std::nullopt);
  EXPECT_EQ(number(5).integer(), 5);
}

TEST(SizeNumber, HasAValueForASize) {
  EXPECT_EQ(product(part(kHeight, 8), part(kWidth, 4))->at({64, 32}), 64);
  EXPECT_EQ(part(kHeight, 64).at({64, 32}), std::nullopt) << "a half";
}

TEST(SizeNumber, StaysBelowWhatNetworksLeadTo) {
  EXPECT_EQ(size_number(INT64_MAX), std::nullopt);
  EXPECT_EQ(size_number(INT64_MIN), std::nullopt);
  EXPECT_EQ(product(number(1LL << 20), number(1LL << 20)), std::nullopt);
  EXPECT_EQ(sum({1, 2147483647, 0, 0}, {1, 2147483629, 0, 0}), std::nullopt);
  EXPECT_EQ(fractional_size_number(1e30), std::nullopt);
  EXPECT_EQ(fractional_size_number(0.1), std::nullopt) << "no fraction of a power of two";
  EXPECT_EQ(fractional_size_number(0.75), (SizeNumber{3, 4, 0, 0}));
}

/// Describes a Reshape in an export for pictures of 640x640.
struct Regrouping {
  const char* name;
  SizeExtents from;
  Integers target;
  std::optional<SizeExtents> to;  ///< for any size of the picture; nullopt if that isn't clear
};

const SizeNumber kRows = part(kHeight, 8);
const SizeNumber kColumns = part(kWidth, 8);
const SizeNumber kCells = *product(kRows, kColumns);

const Regrouping kRegroupings[] = {
    {"RowsOfOneAnchor",
     {number(1), kRows, kColumns, number(4)},
     {1, 6400, 4},
     SizeExtents{number(1), kCells, number(4)}},
    {"RowsOfTwoAnchors",
     {number(1), kRows, kColumns, number(8)},
     {1, 12800, 4},
     SizeExtents{number(1), *product(kCells, number(2)), number(4)}},
    {"RowsWithoutABatch",
     {number(1), kRows, kColumns, number(2)},
     {12800, 1},
     SizeExtents{*product(kCells, number(2)), number(1)}},
    {"WhatIsLeft",
     {number(1), kRows, kColumns, number(8)},
     {-1, 12800, 4},
     SizeExtents{number(1), *product(kCells, number(2)), number(4)}},
    {"GroupsOfChannels",
     {number(1), number(116), kRows, kColumns},
     {1, 2, 58, 80, 80},
     SizeExtents{number(1), number(2), number(58), kRows, kColumns}},
    {"AsManyChannelsAsRows",
     {number(1), number(80), kRows, kColumns},
     {1, 80, 6400},
     SizeExtents{number(1), number(80), kCells}},
    {"KeptExtents",
     {number(1), number(6), kRows, kColumns},
     {0, 0, -1},
     SizeExtents{number(1), number(6), kCells}},
    {"RowsWithinChannels", {number(1), number(3), kRows, kColumns}, {1, 2, 9600}, std::nullopt},
    {"AnotherNumberOfValues", {number(1), number(3), kRows, kColumns}, {1, 7, -1}, std::nullopt},
    {"NothingAtAll", {number(1), number(3), kRows, kColumns}, {}, std::nullopt},
};

TEST(Regrouping, FindsWhichNumbersComeFromThePicture) {
  for (const Regrouping& c : kRegroupings) {
    SizeExtents target;
    for (const std::int64_t extent : c.target) target.push_back(number(extent));
    EXPECT_EQ(reshaped(c.from, target, Size{640, 640}), c.to) << c.name;
  }
}

TEST(Regrouping, TakesNumbersAsTheyAreIfThePictureIsOpen) {
  const SizeExtents from{number(1), kRows, kColumns, number(8)};
  EXPECT_EQ(reshaped(from, {number(1), number(-1), number(4)}, std::nullopt),
            (SizeExtents{number(1), *product(kCells, number(2)), number(4)}));
  EXPECT_EQ(reshaped(from, {number(1), number(12800), number(4)}, std::nullopt), std::nullopt);
  EXPECT_EQ(reshaped(from, {number(1), number(-1), number(3)}, std::nullopt), std::nullopt)
      << "a third of a cell";
  EXPECT_EQ(reshaped(from, {number(-1), number(-1), number(4)}, std::nullopt), std::nullopt);
}

/// Builds a file that makes rows of a map's channels. The extents of the rows are `target`. If
/// `target` is empty, nodes compute the extents from the map's shape, as PyTorch exports
/// `view(shape[0], -1, 4)`.
onnx::ModelProto rows_of_map(std::int64_t side, const Integers& target) {
  OnnxBuilder build(side, side);
  const std::string map = build.convolution(build.picture(), 3, 8, 3, 2);
  const std::string cells = build.node("Transpose", {map}, {{"perm", Integers{0, 2, 3, 1}}});
  std::string list;
  if (target.empty()) {
    const std::string shape = build.node("Shape", {map});
    const std::string batch = build.node("Gather", {shape, build.integer(0)}, {{"axis", 0L}});
    const std::string one = build.node("Unsqueeze", {batch, build.integers({0})});
    list = build.node("Concat", {one, build.integers({-1}), build.integers({4})}, {{"axis", 0L}});
  } else {
    list = build.integers(target);
  }
  build.output(build.node("Reshape", {cells, list}));
  // Tests compare two files, so this value must have the same name in both.
  build.model().mutable_graph()->mutable_output(0)->set_name("rows");
  auto& nodes = *build.model().mutable_graph()->mutable_node();
  nodes[nodes.size() - 1].set_output(0, "rows");
  return build.model();
}

void free_all(Rewriting& to) {
  free_reshapes(to);
  free_resizes(to);
  free_shuffles(to);
  drop_unread(to);
}

TEST(Reshapes, OfAFixedExportHoldForOtherPictures) {
  const onnx::ModelProto open = rows_of_map(-1, {1, -1, 4});
  const onnx::ModelProto freed = rewritten(rows_of_map(64, {1, 2048, 4}), free_all);
  expect_same_outputs(open, freed, {{64, 64}, {96, 32}});
}

TEST(Reshapes, NeedNoNodesThatComputeExtents) {
  const onnx::ModelProto computed = rows_of_map(-1, {});
  const onnx::ModelProto freed = rewritten(computed, free_all);
  EXPECT_EQ(freed.graph().node_size(), 3);
  expect_same_outputs(computed, freed);
}

TEST(Reshapes, ThatHoldForEveryPictureStay) {
  const onnx::ModelProto open = rows_of_map(-1, {1, -1, 4});
  EXPECT_EQ(rewritten(open, free_reshapes).SerializeAsString(), open.SerializeAsString());
}

/// The map is enlarged to sizes that nodes compute: twice its extents, as PyTorch exports
/// `interpolate(size=...)`.
TEST(Resizes, ToComputedSizesBecomeFactors) {
  OnnxBuilder build;
  const std::string map = build.convolution(build.picture(), 3, 2, 3, 2);
  const std::string shape = build.node("Shape", {map});
  const std::string last =
      build.node("Slice", {shape, build.integers({2}), build.integers({4}), build.integers({0})});
  const std::string first =
      build.node("Slice", {shape, build.integers({0}), build.integers({2}), build.integers({0})});
  const std::string twice = build.node("Mul", {last, build.integers({2})});
  const std::string sizes =
      build.node("Cast", {build.node("Concat", {first, twice}, {{"axis", 0L}})}, {{"to", 7L}});
  build.output(build.node("Resize", {map, build.floats({0}, {}), build.floats({0}, {}), sizes},
                          {{"mode", std::string("nearest")},
                           {"coordinate_transformation_mode", std::string("asymmetric")},
                           {"nearest_mode", std::string("floor")}}));
  const onnx::ModelProto after = rewritten(build.model(), free_all);
  EXPECT_EQ(after.graph().node_size(), 2);
  EXPECT_EQ(after.graph().node(1).input_size(), 3);
  expect_same_outputs(build.model(), after);
}

TEST(Resizes, OfAFixedExportHoldForOtherPictures) {
  const auto resized = [](std::int64_t side, bool by_sizes) {
    OnnxBuilder build(side, side);
    const std::string map = build.convolution(build.picture(), 3, 2, 3, 2);
    const std::string scales = build.floats({4}, {1, 1, 2, 2});
    const std::string sizes = build.integers({1, 2, 64, 64});
    const std::vector<std::string> inputs = by_sizes ? std::vector<std::string>{map, "", "", sizes}
                                                     : std::vector<std::string>{map, "", scales};
    build.output(build.node("Resize", inputs));
    return build.model();
  };
  expect_same_outputs(resized(-1, false), rewritten(resized(64, true), free_all),
                      {{64, 64}, {32, 96}});
}

struct ResizeMode {
  const char* coordinates;
  const char* rounding;
  float factor;
  bool is_rewritten;
};

// If a mode only repeats pixels, the interpreter must compute the same outputs before and after the
// pass.
TEST(Resizes, ThatRepeatPixelsAreWrittenInOneWay) {
  constexpr ResizeMode kModes[] = {
      {"asymmetric", "floor", 3, true},
      {"asymmetric", "round_prefer_floor", 2, true},
      {"asymmetric", "round_prefer_floor", 3, false},
      {"asymmetric", "ceil", 2, false},
      {"half_pixel", "round_prefer_floor", 2, true},
      {"half_pixel", "round_prefer_ceil", 3, true},
      {"half_pixel", "floor", 2, false},
      {"align_corners", "floor", 2, false},
      {"asymmetric", "floor", 0.5F, false},
  };
  for (const ResizeMode& mode : kModes) {
    OnnxBuilder build;
    build.output(build.node(
        "Resize", {build.picture(), "", build.floats({4}, {1, 1, mode.factor, mode.factor})},
        {{"coordinate_transformation_mode", std::string(mode.coordinates)},
         {"nearest_mode", std::string(mode.rounding)}}));
    const onnx::ModelProto after = rewritten(build.model(), free_resizes);
    const bool same = after.SerializeAsString() == build.model().SerializeAsString();
    EXPECT_EQ(!same, mode.is_rewritten) << mode.coordinates << " " << mode.rounding;
    expect_same_outputs(build.model(), after);
  }
}

TEST(Resizes, ThatMixPixelsStay) {
  OnnxBuilder build;
  build.output(build.node("Resize", {build.picture(), "", build.floats({4}, {1, 1, 2, 2})},
                          {{"mode", std::string("linear")}}));
  EXPECT_EQ(rewritten(build.model(), free_resizes).SerializeAsString(),
            build.model().SerializeAsString());
}

/// Old exports compute sizes as floats: the new height is (height * 2.0) rounded down.
TEST(Resizes, ByFactorsThatFloatsGiveBecomeConstant) {
  OnnxBuilder build;
  const std::string map = build.convolution(build.picture(), 3, 2, 3, 2);
  const std::string two = build.floats({1}, {2});
  const auto scale_of = [&](std::int64_t axis) {
    const std::string extent = build.node(
        "Cast", {build.node("Gather", {build.node("Shape", {map}), build.integers({axis})})},
        {{"to", 1L}});
    const std::string larger = build.node("Floor", {build.node("Mul", {extent, two})});
    return build.node("Div", {larger, extent});
  };
  const std::string ones = build.floats({2}, {1, 1});
  const std::string scales = build.node("Concat", {ones, scale_of(2), scale_of(3)}, {{"axis", 0L}});
  build.output(build.node("Resize", {map, "", scales}));
  const onnx::ModelProto after = rewritten(build.model(), free_all);
  EXPECT_EQ(after.graph().node_size(), 2);
  expect_same_outputs(build.model(), after);
}

/// Builds a shuffle of two groups of three channels. If `fixed`, the file is an export for pictures
/// of 64x64, whose extents are constants.
onnx::ModelProto shuffled(bool fixed, std::int64_t rows, std::int64_t columns) {
  OnnxBuilder build(fixed ? 64 : -1, fixed ? 64 : -1);
  const std::string map = build.convolution(build.picture(), 3, 6, 3, 2);
  const std::string groups = build.node("Reshape", {map, build.integers({1, 2, 3, rows, columns})});
  const std::string swapped =
      build.node("Transpose", {groups}, {{"perm", Integers{0, 2, 1, 3, 4}}});
  build.output(build.node("Reshape", {swapped, build.integers({1, -1, rows, columns})}));
  return build.model();
}

TEST(Shuffles, OfAFixedExportHoldForOtherPictures) {
  const onnx::ModelProto freed = rewritten(shuffled(true, 32, 32), free_all);
  EXPECT_EQ(freed.graph().node_size(), 4);
  expect_same_outputs(shuffled(false, 32, 32), freed, {{64, 64}});
  expect_same_outputs(shuffled(false, 16, 48), freed, {{96, 32}});
}

TEST(Shuffles, WhoseGroupsAreReadElsewhereStay) {
  onnx::ModelProto model = shuffled(true, 32, 32);
  const std::string groups = model.graph().node(1).output(0);
  model.mutable_graph()->add_output()->set_name(groups);
  EXPECT_EQ(rewritten(model, free_shuffles).SerializeAsString(), model.SerializeAsString());
}

}  // namespace
}  // namespace facepipe::detector
