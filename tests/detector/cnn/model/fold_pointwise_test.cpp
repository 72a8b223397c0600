// These tests compare the pass on small graphs with the two convolutions computed one after the
// other.
#include "detector/cnn/model/fold_pointwise.h"

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "detector/cnn/model/canonical/rewriting.h"
#include "tests/support/expect_error.h"

namespace facepipe::detector {
namespace {

using Matrix = std::vector<std::vector<float>>;

struct Layer {
  Matrix weights;  // outputs x inputs of the layer
  std::vector<float> bias;
};

Layer random_layer(std::size_t outputs, std::size_t inputs, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> value(-1, 1);
  Layer layer{Matrix(outputs, std::vector<float>(inputs)), std::vector<float>(outputs)};
  for (auto& row : layer.weights)
    for (float& weight : row) weight = value(generator);
  for (float& bias : layer.bias) bias = value(generator);
  return layer;
}

std::vector<float> pixel_through(const Layer& layer, const std::vector<float>& pixel) {
  std::vector<float> result = layer.bias;
  for (std::size_t o = 0; o < result.size(); ++o)
    for (std::size_t i = 0; i < pixel.size(); ++i) result[o] += layer.weights[o][i] * pixel[i];
  return result;
}

void add_tensor(onnx::GraphProto& graph, const std::string& name,
                const std::vector<std::int64_t>& dims, const std::vector<float>& values) {
  onnx::TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t dim : dims) tensor.add_dims(dim);
  for (const float value : values) tensor.add_float_data(value);
}

onnx::NodeProto& add_conv(onnx::GraphProto& graph, const std::string& from, const std::string& to,
                          const Layer& layer) {
  std::vector<float> flat;
  for (const auto& row : layer.weights) flat.insert(flat.end(), row.begin(), row.end());
  const auto outputs = static_cast<std::int64_t>(layer.weights.size());
  const auto inputs = static_cast<std::int64_t>(layer.weights[0].size());
  add_tensor(graph, to + ".w", {outputs, inputs, 1, 1}, flat);
  add_tensor(graph, to + ".b", {outputs}, layer.bias);
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("Conv");
  node.add_input(from);
  node.add_input(to + ".w");
  node.add_input(to + ".b");
  node.add_output(to);
  return node;
}

void set_ints(onnx::NodeProto& node, const char* name, const std::vector<std::int64_t>& values) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) attribute.add_ints(value);
}

Layer read_layer(const onnx::GraphProto& graph, const onnx::NodeProto& node) {
  const auto floats = [&](const std::string& name) {
    for (const auto& tensor : graph.initializer()) {
      if (tensor.name() != name) continue;
      std::vector<float> values(tensor.raw_data().size() / sizeof(float));
      std::memcpy(values.data(), tensor.raw_data().data(), tensor.raw_data().size());
      return values;
    }
    return std::vector<float>{};
  };
  const std::vector<float> flat = floats(node.input(1));
  Layer layer{{}, floats(node.input(2))};
  const std::size_t inputs = flat.size() / layer.bias.size();
  for (std::size_t o = 0; o < layer.bias.size(); ++o)
    layer.weights.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(o * inputs),
                               flat.begin() + static_cast<std::ptrdiff_t>((o + 1) * inputs));
  return layer;
}

class FoldPointwise : public testing::Test {
 protected:
  FoldPointwise() { graph_.add_output()->set_name("y"); }

  int fold() {
    Rewriting to(model_, "test.onnx");
    return fold_pointwise_pairs(to);
  }

  onnx::ModelProto model_;
  onnx::GraphProto& graph_ = *model_.mutable_graph();
  const Layer narrow_ = random_layer(5, 7, 1);
  const Layer narrower_ = random_layer(3, 5, 2);
};

TEST_F(FoldPointwise, TheProductComputesTheSame) {
  add_conv(graph_, "x", "m", narrow_);
  set_ints(add_conv(graph_, "m", "y", narrower_), "strides", {2, 2});
  EXPECT_EQ(fold(), 1);
  ASSERT_EQ(graph_.node_size(), 1);
  EXPECT_EQ(graph_.node(0).input(0), "x");
  EXPECT_EQ(graph_.node(0).output(0), "y");
  EXPECT_EQ(graph_.node(0).attribute(0).ints(0), 2);
  const Layer folded = read_layer(graph_, graph_.node(0));
  const std::vector<float> pixel{0.5F, -1, 2, 0.25F, 3, -2, 1};
  const std::vector<float> expected = pixel_through(narrower_, pixel_through(narrow_, pixel));
  const std::vector<float> result = pixel_through(folded, pixel);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(result[i], expected[i], 1e-5);
}

TEST_F(FoldPointwise, AChainOfThreeBecomesOne) {
  add_conv(graph_, "x", "a", narrow_);
  add_conv(graph_, "a", "b", narrower_);
  add_conv(graph_, "b", "y", random_layer(2, 3, 3));
  EXPECT_EQ(fold(), 2);
  EXPECT_EQ(graph_.node_size(), 1);
}

TEST_F(FoldPointwise, AProductMayBeTheSecondOfAnotherPair) {
  // Joining only the first two layers would cost more. Joining all three costs less.
  const Layer first = random_layer(2, 7, 6);
  const Layer second = random_layer(9, 2, 7);
  const Layer third = random_layer(1, 9, 8);
  add_conv(graph_, "x", "a", first);
  add_conv(graph_, "a", "b", second);
  add_conv(graph_, "b", "y", third);
  EXPECT_EQ(fold(), 2);
  ASSERT_EQ(graph_.node_size(), 1);
  const std::vector<float> pixel{0.5F, -1, 2, 0.25F, 3, -2, 1};
  const std::vector<float> expected =
      pixel_through(third, pixel_through(second, pixel_through(first, pixel)));
  const std::vector<float> result = pixel_through(read_layer(graph_, graph_.node(0)), pixel);
  EXPECT_NEAR(result[0], expected[0], 1e-4);
  std::set<std::string> names;
  for (const auto& tensor : graph_.initializer()) EXPECT_TRUE(names.insert(tensor.name()).second);
}

TEST_F(FoldPointwise, TakesTimeThatGrowsWithTheFile) {
  // If the time grew with the square of the nodes, the test would take minutes.
  constexpr int kNodes = 4000;
  for (int i = 0; i < kNodes; ++i)
    add_conv(graph_, i == 0 ? "x" : std::to_string(i),
             i + 1 == kNodes ? "y" : std::to_string(i + 1), random_layer(3, 3, 9));
  EXPECT_EQ(fold(), kNodes - 1);
}

/// The nodes of this file share large weights. The file is small, but folding all nodes would need
/// very many products.
TEST_F(FoldPointwise, FoldsNoMoreThanAnyNetworkNeeds) {
  constexpr std::int64_t kSide = 400;  // 64e6 products for each pair
  const auto count = static_cast<std::size_t>(kSide);
  add_tensor(graph_, "w", {kSide, kSide, 1, 1}, std::vector<float>(count * count, 0.5F));
  for (int i = 0; i < 12; ++i) {
    onnx::NodeProto& node = *graph_.add_node();
    node.set_op_type("Conv");
    node.add_input(std::to_string(i));
    node.add_input("w");
    node.add_output(i == 11 ? "y" : std::to_string(i + 1));
  }
  const int folded = fold();
  EXPECT_GT(folded, 0);
  EXPECT_LT(folded, 11);
}

/// Each pair needs few products. But folding gives each pair its own weights, and the file holds
/// the weights only once.
TEST_F(FoldPointwise, RefusesToMakeASmallFileLarge) {
  constexpr std::int64_t kInputs = 65536;
  add_tensor(graph_, "wide", {1, kInputs, 1, 1}, std::vector<float>(kInputs, 0.5F));
  add_tensor(graph_, "one", {1, 1, 1, 1}, {2});
  const auto add_node = [&](const std::string& from, const char* weights, const std::string& to) {
    onnx::NodeProto& node = *graph_.add_node();
    node.set_op_type("Conv");
    node.add_input(from);
    node.add_input(weights);
    node.add_output(to);
  };
  for (int i = 0; i < 512; ++i) {
    const std::string name = std::to_string(i);
    add_node("x", "wide", "m" + name);
    add_node("m" + name, "one", "y" + name);
    graph_.add_output()->set_name("y" + name);
  }
  test::expect_error(ErrorKind::device, "model test.onnx: more weights would be added to it",
                     [&] { (void)fold(); });
}

TEST_F(FoldPointwise, LeavesPairsThatWouldCostMore) {
  add_conv(graph_, "x", "m", random_layer(2, 7, 4));
  add_conv(graph_, "m", "y", random_layer(9, 2, 5));
  EXPECT_EQ(fold(), 0);
}

TEST_F(FoldPointwise, LeavesAResultThatOthersRead) {
  add_conv(graph_, "x", "m", narrow_);
  add_conv(graph_, "m", "y", narrower_);
  graph_.add_output()->set_name("m");
  EXPECT_EQ(fold(), 0);
}

TEST_F(FoldPointwise, LeavesStridesPadsAndGroupsAlone) {
  struct Case {
    const char* name;
    std::vector<std::int64_t> values;
  };
  for (const Case& c : {Case{"strides", {2, 2}}, Case{"pads", {1, 1, 1, 1}}}) {
    graph_.clear_node();
    graph_.clear_initializer();
    set_ints(add_conv(graph_, "x", "m", narrow_), c.name, c.values);
    add_conv(graph_, "m", "y", narrower_);
    EXPECT_EQ(fold(), 0) << c.name;
  }
}

TEST_F(FoldPointwise, LeavesCirclesAlone) {
  add_conv(graph_, "y", "y", random_layer(3, 3, 6));
  add_conv(graph_, "b", "a", random_layer(3, 3, 7));
  add_conv(graph_, "a", "b", random_layer(3, 3, 8));
  graph_.clear_output();
  EXPECT_EQ(fold(), 1);
}

TEST_F(FoldPointwise, LeavesBrokenWeightsAlone) {
  add_conv(graph_, "x", "m", narrow_);
  add_conv(graph_, "m", "y", narrower_);
  graph_.mutable_initializer(0)->clear_float_data();
  EXPECT_EQ(fold(), 0);
  graph_.mutable_node(0)->mutable_input()->RemoveLast();
  graph_.mutable_node(0)->mutable_input()->RemoveLast();
  EXPECT_EQ(fold(), 0);
}

}  // namespace
}  // namespace facepipe::detector
