// These tests check the pass that makes a Stem: which layers it joins and which it leaves, and that
// results don't change.
#include "detector/cnn/model/graph/fuse_stem.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/support/graph_builder.h"

namespace facepipe::detector::graph {
namespace {

using test::ConvolutionSpec;
using test::GraphBuilder;

constexpr ConvolutionSpec kFirst{
    .outputs = 16, .kernel = 3, .stride = 2, .pad = 1, .activation = Activation::relu};
constexpr ConvolutionSpec kDepthwise{
    .kernel = 3, .pad = 1, .depthwise = true, .activation = Activation::relu};
constexpr ConvolutionSpec kPointwise{.outputs = 8};

ConvolutionSpec with(ConvolutionSpec spec, const std::function<void(ConvolutionSpec&)>& change) {
  change(spec);
  return spec;
}

/// Adds a node that reads `value`, so that `value` isn't an output.
void go_on_with(GraphBuilder& builder, ValueId value) {
  builder.output(builder.node(Add{}, {value, value}));
}

/// Returns the number of layers in the Stem that the pass makes of three successive convolutions,
/// or 0 if it makes no Stem.
std::size_t fused_layers(const ConvolutionSpec& first, const ConvolutionSpec& second,
                         const ConvolutionSpec& third) {
  GraphBuilder builder(3, {14, 10}, 1);
  ValueId x = builder.convolution(builder.input(), first);
  x = builder.convolution(x, second);
  go_on_with(builder, builder.convolution(x, third));
  Graph graph = builder.graph();
  fuse_stem(graph);
  infer_shapes(graph, builder.size());
  const test::Tensor noise = builder.noise();
  EXPECT_EQ(test::interpret_outputs(graph, noise), test::interpret_outputs(builder.graph(), noise));
  const auto* const stem = std::get_if<Stem>(&graph.nodes[0].op);
  const std::size_t layers = stem != nullptr ? stem->layers.size() : 0;
  EXPECT_EQ(graph.nodes.size(), layers == 0 ? 4U : 5U - layers);
  return layers;
}

TEST(FuseStem, JoinsTheBlockBehindTheFirstLayer) {
  EXPECT_EQ(fused_layers(kFirst, kDepthwise, kPointwise), 3U);
  EXPECT_EQ(fused_layers(with(kFirst, [](auto& s) { s.outputs = 5; }), kDepthwise, kPointwise), 3U);
  EXPECT_EQ(fused_layers(kFirst, kDepthwise,
                         with(kPointwise, [](auto& s) { s.activation = Activation::relu; })),
            3U);
}

TEST(FuseStem, StopsAtWhatItsKernelCanNotCompute) {
  struct Case {
    const char* reason;
    ConvolutionSpec first;
    ConvolutionSpec second;
    ConvolutionSpec third;
    std::size_t layers;
  };
  const auto none = [](auto& s) { s.activation = Activation::none; };
  const auto sigmoid = [](auto& s) { s.activation = Activation::sigmoid; };
  const Case cases[] = {
      {"no relu before the block", with(kFirst, none), kDepthwise, kPointwise, 1},
      {"no relu in the block", kFirst, with(kDepthwise, none), kPointwise, 1},
      {"too many channels", with(kFirst, [](auto& s) { s.outputs = kMostStemBlockChannels + 1; }),
       kDepthwise, kPointwise, 1},
      {"a stride in the block", kFirst, with(kDepthwise, [](auto& s) { s.stride = 2; }), kPointwise,
       1},
      {"no depthwise layer", kFirst, with(kFirst, [](auto& s) { s.stride = 1; }), kPointwise, 1},
      {"a window at the end", kFirst, kDepthwise, with(kFirst, [](auto& s) { s.stride = 1; }), 1},
      {"sigmoid at the end", kFirst, kDepthwise, with(kPointwise, sigmoid), 1},
      {"sigmoid at once", with(kFirst, sigmoid), kDepthwise, kPointwise, 0},
      {"no stride", with(kFirst, [](auto& s) { s.stride = 1; }), kDepthwise, kPointwise, 0},
      {"no padding", with(kFirst, [](auto& s) { s.pad = 0; }), kDepthwise, kPointwise, 0},
  };
  for (const Case& c : cases)
    EXPECT_EQ(fused_layers(c.first, c.second, c.third), c.layers) << c.reason;
}

TEST(FuseStem, LeavesWhatOthersRead) {
  GraphBuilder input_read_twice(3, {14, 10}, 2);
  ValueId x = input_read_twice.convolution(input_read_twice.input(), kFirst);
  const ValueId y = input_read_twice.convolution(input_read_twice.input(), kFirst);
  go_on_with(input_read_twice, input_read_twice.node(Add{}, {x, y}));
  Graph graph = input_read_twice.graph();
  fuse_stem(graph);
  EXPECT_EQ(graph.nodes.size(), 4U);

  GraphBuilder first_read_twice(3, {14, 10}, 3);
  x = first_read_twice.convolution(first_read_twice.input(), kFirst);
  go_on_with(first_read_twice, x);
  go_on_with(first_read_twice, first_read_twice.convolution(x, kDepthwise));
  graph = first_read_twice.graph();
  fuse_stem(graph);
  EXPECT_EQ(graph.nodes.size(), 4U);
  EXPECT_EQ(std::get<Stem>(graph.nodes[0].op).layers.size(), 1U);

  GraphBuilder last(3, {14, 10}, 4);
  last.output(last.convolution(last.input(), kFirst));
  graph = last.graph();
  fuse_stem(graph);
  EXPECT_TRUE(std::holds_alternative<Convolution>(graph.nodes[0].op));

  GraphBuilder other_channels(4, {14, 10}, 5);
  go_on_with(other_channels, other_channels.convolution(other_channels.input(), kFirst));
  graph = other_channels.graph();
  fuse_stem(graph);
  EXPECT_TRUE(std::holds_alternative<Convolution>(graph.nodes[0].op));
}

TEST(FuseStem, KeepsTheNamesOfWhatItJoined) {
  GraphBuilder builder(3, {14, 10}, 6);
  ValueId x = builder.convolution(builder.input(), kFirst);
  x = builder.convolution(x, kDepthwise);
  go_on_with(builder, builder.convolution(x, kPointwise));
  Graph graph = builder.graph();
  fuse_stem(graph);
  EXPECT_EQ(graph.nodes[0].name, "node0+node1+node2");
}

}  // namespace
}  // namespace facepipe::detector::graph
