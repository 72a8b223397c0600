// These tests check the passes that find the steps of a pyramid, and the head behind the last step.
#include "detector/cnn/model/graph/fuse_pyramid.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/graph_builder.h"

namespace facepipe::detector::graph {
namespace {

using test::GraphBuilder;
using test::Tensor;

constexpr Size kSize{6, 4};
constexpr int kMost = 64;

bool has_step(const Graph& graph) { return test::count_nodes<PyramidStep>(graph) > 0; }

struct StepSpec {
  int outputs = 8;
  int kernel = 1;  ///< kernel size of the lateral convolution
  Activation up = Activation::relu;
  Activation lateral = Activation::none;
  bool lateral_is_read = false;
};

/// Adds a step of a pyramid: it reads the builder's input and makes a map of twice the size.
ValueId add_step(GraphBuilder& builder, const StepSpec& spec) {
  const ValueId fine = builder.node(Upsample{2}, {builder.input()});
  const ValueId lateral = builder.convolution(fine, {.outputs = spec.outputs,
                                                     .kernel = spec.kernel,
                                                     .pad = spec.kernel / 2,
                                                     .activation = spec.lateral});
  if (spec.lateral_is_read) builder.output(builder.node(Add{}, {lateral, lateral}));
  return builder.transposed(builder.input(), spec.outputs, spec.up, {lateral});
}

TEST(FusePyramid, JoinsTheLateralConvolution) {
  GraphBuilder builder(5, kSize, 1);
  builder.output(add_step(builder, {}));
  Graph graph = builder.graph();
  fuse_pyramid(graph, kMost);
  infer_shapes(graph, kSize);
  EXPECT_EQ(graph.nodes.size(), 2U);
  ASSERT_TRUE(has_step(graph));
  EXPECT_EQ(graph.nodes[1].name, "node1+node2");
  const Tensor noise = builder.noise();
  EXPECT_EQ(test::interpret_outputs(graph, noise), test::interpret_outputs(builder.graph(), noise));
}

TEST(FusePyramid, LeavesWhatItsKernelCanNotCompute) {
  const StepSpec refused[] = {
      {.outputs = kMost + 1},      {.kernel = 3},
      {.up = Activation::sigmoid}, {.lateral = Activation::sigmoid},
      {.lateral_is_read = true},
  };
  for (const StepSpec& spec : refused) {
    GraphBuilder builder(5, kSize, 2);
    builder.output(add_step(builder, spec));
    Graph graph = builder.graph();
    fuse_pyramid(graph, kMost);
    EXPECT_FALSE(has_step(graph));
  }
}

/// Returns a step and a head of three outputs. The first output has a pending sigmoid.
GraphBuilder headed(const std::function<void(GraphBuilder&, ValueId)>& more = {}) {
  GraphBuilder builder(5, kSize, 3);
  ValueId x = add_step(builder, {});
  x = builder.convolution(x, {.outputs = 8, .kernel = 3, .pad = 1, .activation = Activation::relu});
  if (more) more(builder, x);
  const std::vector<ValueId> parts =
      builder.split(builder.convolution(x, {.outputs = 6}), {1, 3, 2});
  builder.output(builder.node(Activate{Activation::sigmoid}, {parts[0]}));
  builder.output(parts[1]);
  builder.output(parts[2]);
  return builder;
}

/// Returns the graph with the nodes that the pass has moved into `tail`.
Graph restored(Graph graph, const HeadTail& tail) {
  const auto append = [&](Operator op, const std::vector<ValueId>& inputs) {
    const ValueId value = graph.add_value("");
    graph.nodes.push_back({"", std::move(op), inputs, {value}});
    return value;
  };
  ValueId x = append(tail.step, {tail.coarse, tail.fine});
  x = append(tail.outputs, {append(tail.window, {x})});
  graph.outputs.clear();
  for (const HeadTail::Part& part : tail.parts) {
    // This convolution selects the part's channels.
    Convolution pick{{}, tail.outputs.outputs, part.channels, 1, {}, {}, part.pending};
    pick.bias.assign(static_cast<std::size_t>(part.channels), 0);
    for (int o = 0; o < part.channels; ++o)
      for (int i = 0; i < pick.inputs; ++i)
        pick.weights.push_back(i == part.first_channel + o ? 1.0F : 0.0F);
    graph.outputs.push_back({part.name, append(pick, {x}), OutputLayout::as_computed});
  }
  infer_shapes(graph, kSize);
  return graph;
}

TEST(CutHead, TakesAwayWhatTheHeadComputes) {
  GraphBuilder builder = headed();
  Graph graph = builder.graph();
  fuse_pyramid(graph, kMost);
  const std::optional<HeadTail> tail = cut_head(graph);
  ASSERT_TRUE(tail);
  infer_shapes(graph, kSize);
  ASSERT_EQ(graph.outputs.size(), 2U);
  EXPECT_EQ(graph.outputs[0].value, tail->coarse);
  EXPECT_EQ(graph.outputs[1].value, tail->fine);
  EXPECT_EQ(graph.nodes.size(), 1U);
  ASSERT_EQ(tail->parts.size(), 3U);
  const int channels[] = {1, 3, 2};
  for (std::size_t i = 0, first = 0; i < 3; first += static_cast<std::size_t>(channels[i++])) {
    EXPECT_EQ(tail->parts[i].first_channel, static_cast<int>(first));
    EXPECT_EQ(tail->parts[i].channels, channels[i]);
    EXPECT_EQ(tail->parts[i].name, builder.graph().outputs[i].name);
    EXPECT_EQ(tail->parts[i].pending, i == 0 ? Activation::sigmoid : Activation::none);
  }
  const Tensor noise = builder.noise();
  EXPECT_EQ(test::interpret_outputs(restored(graph, *tail), noise),
            test::interpret_outputs(builder.graph(), noise));
}

TEST(CutHead, LeavesHeadsThatOthersRead) {
  GraphBuilder builder = headed([](GraphBuilder& b, ValueId x) {
    b.output(b.node(Add{}, {x, x}));
  });
  Graph graph = builder.graph();
  fuse_pyramid(graph, kMost);
  const std::size_t nodes = graph.nodes.size();
  EXPECT_FALSE(cut_head(graph));
  EXPECT_EQ(graph.nodes.size(), nodes);
  EXPECT_EQ(graph.outputs.size(), 4U);
}

TEST(CutHead, LeavesHeadsWithoutAStep) {
  GraphBuilder builder(5, kSize, 4);
  const ValueId x = builder.convolution(
      builder.input(), {.outputs = 8, .kernel = 3, .pad = 1, .activation = Activation::relu});
  builder.output(builder.convolution(x, {.outputs = 6}));
  Graph graph = builder.graph();
  EXPECT_FALSE(cut_head(graph));
  EXPECT_EQ(graph.nodes.size(), 2U);
}

}  // namespace
}  // namespace facepipe::detector::graph
