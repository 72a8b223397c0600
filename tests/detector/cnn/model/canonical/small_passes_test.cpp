// These tests check passes on constants, identities, factors, and values that no node reads.
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "detector/cnn/model/canonical/passes.h"
#include "detector/cnn/model/graph/onnx_node.h"
#include "tests/detector/cnn/model/canonical/same_outputs.h"

namespace facepipe::detector {
namespace {

using test::count_of;
using test::expect_same_outputs;
using test::OnnxBuilder;
using test::rewritten;
using Integers = std::vector<std::int64_t>;

TEST(Constants, BecomeWeights) {
  OnnxBuilder build;
  const std::string map = build.convolution(build.picture(), 3, 4, 3);
  const std::string list = build.constant({1, 4, -1});
  const std::string two = build.node("Constant", {}, {{"value_float", 2.0F}});
  build.output(build.node("Mul", {build.node("Reshape", {map, list}), two}));
  const onnx::ModelProto after = rewritten(build.model(), make_constants_weights);
  EXPECT_EQ(count_of(after, "Constant"), 0);
  EXPECT_EQ(after.graph().initializer_size(), build.model().graph().initializer_size() + 2);
  expect_same_outputs(build.model(), after);
}

TEST(Constants, OfOtherKindsStay) {
  OnnxBuilder build;
  build.output(build.node("Constant", {}, {{"value_string", std::string("text")}}));
  EXPECT_EQ(count_of(rewritten(build.model(), make_constants_weights), "Constant"), 1);
}

/// Adds f16 weights, given by their bits.
std::string halves(OnnxBuilder& build, const std::vector<int>& bits) {
  std::string name = build.floats({static_cast<std::int64_t>(bits.size())}, {});
  auto& weights = *build.model().mutable_graph()->mutable_initializer();
  onnx::TensorProto& tensor = weights[weights.size() - 1];
  tensor.set_data_type(onnx::TensorProto::FLOAT16);
  tensor.mutable_int32_data()->Assign(bits.begin(), bits.end());
  return name;
}

std::string cast_to(OnnxBuilder& build, const std::string& value, std::int64_t type) {
  return build.node("Cast", {value}, {{"to", type}});
}

TEST(HalfWeights, KeepTheirValues) {
  const std::vector<std::pair<int, float>> kNumbers{
      {0x0000, 0.0F},     {0x8000, -0.0F},    {0x0001, 0x1p-24F},  {0x83FF, -0x3FFp-24F},
      {0x0400, 0x1p-14F}, {0x3C00, 1.0F},     {0xC000, -2.0F},     {0x3555, 0.333251953125F},
      {0x7BFF, 65504.0F}, {0x7C00, INFINITY}, {0xFC00, -INFINITY}, {0x4248, 3.140625F}};
  OnnxBuilder build;
  std::vector<int> bits{0x7E00};  // no number
  for (const auto& [each, number] : kNumbers) bits.push_back(each);
  const std::string wide = cast_to(build, halves(build, bits), onnx::TensorProto::FLOAT);
  build.output(build.node("Mul", {build.picture(), wide}));
  const onnx::ModelProto after = rewritten(build.model(), widen_half_weights);
  ASSERT_EQ(after.graph().node_size(), 1);
  ASSERT_EQ(after.graph().initializer_size(), 1);
  EXPECT_EQ(after.graph().initializer(0).name(), wide);
  const auto values =
      graph::values_of<float>(after.graph().initializer(0), static_cast<std::int64_t>(bits.size()));
  ASSERT_EQ(values.size(), bits.size());
  EXPECT_TRUE(std::isnan(values[0]));
  for (std::size_t i = 0; i < kNumbers.size(); ++i) {
    EXPECT_EQ(values[i + 1], kNumbers[i].second);
    EXPECT_EQ(std::signbit(values[i + 1]), std::signbit(kNumbers[i].second));
  }
}

TEST(HalfWeights, AreWidenedOnceForAllCasts) {
  OnnxBuilder build;
  const std::string half = halves(build, {0x3C00, 0x4000});
  for (int i = 0; i < 3; ++i)
    build.output(
        build.node("Mul", {build.picture(), cast_to(build, half, onnx::TensorProto::FLOAT)}));
  build.model().mutable_graph()->add_input()->set_name(half);  // as old files list weights
  const onnx::ModelProto after = rewritten(build.model(), widen_half_weights);
  ASSERT_EQ(after.graph().node_size(), 3);
  EXPECT_EQ(after.graph().initializer_size(), 1);
  EXPECT_EQ(after.graph().input_size(), 1);
  for (const onnx::NodeProto& node : after.graph().node())
    EXPECT_EQ(node.input(1), after.graph().initializer(0).name());
}

TEST(HalfWeights, StayIfAnythingElseReadsThem) {
  for (const std::int64_t type : {onnx::TensorProto::FLOAT, onnx::TensorProto::DOUBLE}) {
    OnnxBuilder build;
    const std::string half = halves(build, {0x3C00});
    build.output(
        build.node("Mul", {build.picture(), cast_to(build, half, onnx::TensorProto::FLOAT)}));
    build.output(type == onnx::TensorProto::FLOAT ? build.node("Mul", {build.picture(), half})
                                                  : cast_to(build, half, type));
    const onnx::ModelProto after = rewritten(build.model(), widen_half_weights);
    EXPECT_EQ(after.SerializeAsString(), build.model().SerializeAsString());
  }
}

TEST(Identities, AreErased) {
  OnnxBuilder build;
  const std::string map = build.node("Identity", {build.convolution(build.picture(), 3, 4)});
  const std::string factor = build.node("Identity", {build.random_floats({1})});
  const std::string again = build.node("Dropout", {build.node("Identity", {map})});
  build.output(build.node("Mul", {again, factor}));
  const onnx::ModelProto after = rewritten(build.model(), drop_identities);
  EXPECT_EQ(after.graph().node_size(), 2);
  expect_same_outputs(build.model(), after);
}

TEST(Identities, GiveOutputsTheirNames) {
  OnnxBuilder build;
  const std::string map = build.convolution(build.picture(), 3, 4);
  const std::string other = build.node("Relu", {map});
  build.output(build.node("Identity", {map}));
  // This node must stay, because `map` already has the name of the first output.
  build.output(build.node("Identity", {map}));
  build.output(other);
  const onnx::ModelProto after = rewritten(build.model(), drop_identities);
  EXPECT_EQ(count_of(after, "Identity"), 1);
  expect_same_outputs(build.model(), after);
}

TEST(Identities, OfInputsAndWeightsStayOutputs) {
  OnnxBuilder build;
  build.output(build.node("Identity", {build.picture()}));
  build.output(build.node("Identity", {build.random_floats({2})}));
  const onnx::ModelProto after = rewritten(build.model(), drop_identities);
  EXPECT_EQ(count_of(after, "Identity"), 2);
  expect_same_outputs(build.model(), after);
}

TEST(Identities, DropoutStaysIfItDoesSomething) {
  OnnxBuilder build;
  const auto masked = build.node_with_outputs("Dropout", 2, {build.picture()});
  build.output(masked[1]);
  build.output(build.node("Dropout", {build.picture(), "", build.integer(1)}));
  EXPECT_EQ(count_of(rewritten(build.model(), drop_identities), "Dropout"), 2);
}

TEST(Unread, NodesAndWeightsAreErased) {
  OnnxBuilder build;
  const std::string map = build.convolution(build.picture(), 3, 4);
  const std::string unread = build.convolution(map, 4, 5);
  build.node("Relu", {unread});
  build.output(map);
  // Old files also list their weights as inputs.
  for (const onnx::TensorProto& weights : build.model().graph().initializer())
    build.model().mutable_graph()->add_input()->set_name(weights.name());
  const onnx::ModelProto after = rewritten(build.model(), drop_unread);
  EXPECT_EQ(after.graph().node_size(), 1);
  EXPECT_EQ(after.graph().initializer_size(), 2);
  EXPECT_EQ(after.graph().input_size(), 1);
  expect_same_outputs(build.model(), after);
}

TEST(Unread, ANodeStaysIfOneOfItsOutputsIsRead) {
  OnnxBuilder build;
  const auto parts = build.node_with_outputs("Split", 3, {build.picture()}, {{"axis", 1L}});
  build.output(parts[1]);
  EXPECT_EQ(rewritten(build.model(), drop_unread).graph().node_size(), 1);
}

TEST(Factors, AreFoldedIntoTheConvolution) {
  for (const Integers& dims : {Integers{}, Integers{1}, Integers{4, 1, 1}, Integers{1, 4, 1, 1}}) {
    OnnxBuilder build;
    const std::string map = build.convolution(build.picture(), 3, 4, 3);
    build.output(build.node("Mul", {map, build.random_floats(dims)}));
    const onnx::ModelProto after = rewritten(build.model(), fold_factors);
    EXPECT_EQ(after.graph().node_size(), 1);
    expect_same_outputs(build.model(), after);
  }
}

TEST(Factors, OfSeveralProductsAreMultiplied) {
  OnnxBuilder build;
  const std::string map = build.node("Conv", {build.picture(), build.random_floats({4, 3, 1, 1})});
  const std::string scaled = build.node("Mul", {build.random_floats({}), map});
  build.output(build.node("Mul", {scaled, build.random_floats({4, 1, 1})}));
  const onnx::ModelProto after = rewritten(build.model(), fold_factors);
  EXPECT_EQ(after.graph().node_size(), 1);
  expect_same_outputs(build.model(), after);
}

TEST(Factors, LeaveWeightsThatOthersShare) {
  OnnxBuilder build;
  const std::string weights = build.random_floats({4, 3, 1, 1});
  const std::string bias = build.random_floats({4});
  build.output(build.node("Conv", {build.picture(), weights, bias}));
  const std::string map = build.node("Conv", {build.picture(), weights, bias});
  build.output(build.node("Mul", {map, build.random_floats({})}));
  expect_same_outputs(build.model(), rewritten(build.model(), fold_factors));
}

TEST(Factors, ThatAreNoneStay) {
  OnnxBuilder build;
  const std::string read_twice = build.convolution(build.picture(), 3, 4);
  build.output(build.node("Mul", {read_twice, build.random_floats({})}));
  build.output(build.node("Relu", {read_twice}));
  const std::string other = build.convolution(build.picture(), 3, 1);
  build.output(build.node("Mul", {other, build.node("Sigmoid", {build.picture()})}));
  build.output(build.node("Mul", {build.convolution(build.picture(), 3, 4),
                                  build.random_floats({4})}));  // a factor for each column
  build.output(build.node("Mul", {build.node("Relu", {other}), build.random_floats({})}));
  EXPECT_EQ(count_of(rewritten(build.model(), fold_factors), "Mul"), 4);
}

TEST(Factors, AddNoMoreWeightsThanANetworkHas) {
  OnnxBuilder build;
  const std::string weights = build.floats({64, 3, 64, 64}, std::vector<float>(64 * 3 * 64 * 64));
  for (int i = 0; i < 50; ++i)
    build.output(build.node(
        "Mul", {build.node("Conv", {build.picture(), weights}), build.random_floats({})}));
  EXPECT_THROW((void)rewritten(build.model(), fold_factors), Error);
}

}  // namespace
}  // namespace facepipe::detector
