// These tests check that the pass finds blocks only by their shape, leaves other nodes, and changes
// no result.
#include "detector/cnn/model/graph/fuse_inverted_residual.h"

#include <gtest/gtest.h>

#include "detector/cnn/model/graph/passes.h"
#include "tests/support/graph_builder.h"

namespace facepipe::detector::graph {
namespace {

using test::ConvolutionSpec;
using test::GraphBuilder;
using test::Tensor;

constexpr Size kSize{9, 7};

/// Describes the changes that a test makes to a block.
struct Spec {
  int expanded = 24;
  int outputs = 8;
  int stride = 1;
  int kernel = 3;
  int pad = 1;
  Activation expand = Activation::relu;
  Activation filter = Activation::relu;
  Activation project = Activation::none;
  bool residual = false;
};

struct Values {
  ValueId expanded;
  ValueId filtered;
  ValueId result;
};

Values append(GraphBuilder& builder, ValueId x, const Spec& spec) {
  Values values{};
  values.expanded = builder.convolution(x, {.outputs = spec.expanded, .activation = spec.expand});
  values.filtered = builder.convolution(values.expanded, {.kernel = spec.kernel,
                                                          .stride = spec.stride,
                                                          .pad = spec.pad,
                                                          .depthwise = true,
                                                          .activation = spec.filter});
  values.result =
      builder.convolution(values.filtered, {.outputs = spec.outputs, .activation = spec.project},
                          spec.residual ? std::vector{x} : std::vector<ValueId>{});
  return values;
}

bool any(const InvertedResidual&) { return true; }

long blocks(const Graph& graph) { return test::count_nodes<InvertedResidual>(graph); }

/// Returns the fused graph. Expects that it computes the same results.
Graph fused(GraphBuilder& builder) {
  Graph graph = builder.graph();
  fuse_inverted_residuals(graph, any);
  infer_shapes(graph, builder.size());
  const Tensor input = builder.noise();
  const std::vector<Tensor> before = test::interpret_outputs(builder.graph(), input);
  const std::vector<Tensor> after = test::interpret_outputs(graph, input);
  EXPECT_EQ(after, before);
  return graph;
}

/// Builds one block whose result a convolution reads, and returns the fused graph.
Graph fused(const Spec& spec) {
  GraphBuilder builder(8, kSize, 3);
  const Values block = append(builder, builder.input(), spec);
  builder.output(builder.convolution(block.result, {.outputs = 4}));
  return fused(builder);
}

TEST(FuseInvertedResiduals, JoinsThreeConvolutions) {
  for (const Spec& spec :
       {Spec{}, Spec{.stride = 2}, Spec{.residual = true}, Spec{.project = Activation::relu},
        Spec{.expanded = 5, .outputs = 3}, Spec{.outputs = 13, .stride = 2}}) {
    const Graph graph = fused(spec);
    EXPECT_EQ(blocks(graph), 1);
    EXPECT_EQ(graph.nodes.size(), 2U);
    EXPECT_EQ(graph.nodes[0].inputs.size(), spec.residual ? 2U : 1U);
  }
}

TEST(FuseInvertedResiduals, LeavesWhatIsNoBlock) {
  for (const Spec& spec : {Spec{.kernel = 5, .pad = 2}, Spec{.pad = 0}, Spec{.stride = 3},
                           Spec{.expand = Activation::none}, Spec{.filter = Activation::none},
                           Spec{.expand = Activation::sigmoid}})
    EXPECT_EQ(blocks(fused(spec)), 0);
}

TEST(FuseInvertedResiduals, FindsAllOfAChain) {
  GraphBuilder builder(8, kSize, 4);
  ValueId x = builder.input();
  x = append(builder, x, {.outputs = 8, .residual = true}).result;
  x = append(builder, x, {.outputs = 12, .stride = 2}).result;
  x = append(builder, x, {.outputs = 12, .residual = true}).result;
  builder.output(builder.convolution(x, {.outputs = 4}));
  const Graph graph = fused(builder);
  EXPECT_EQ(blocks(graph), 3);
  EXPECT_EQ(graph.nodes.size(), 4U);
}

TEST(FuseInvertedResiduals, LeavesValuesThatOthersRead) {
  for (const bool expanded : {true, false}) {
    GraphBuilder builder(8, kSize, 5);
    const Values block = append(builder, builder.input(), {});
    builder.output(builder.convolution(block.result, {.outputs = 4}));
    builder.output(builder.convolution(expanded ? block.expanded : block.filtered, {.outputs = 4}));
    EXPECT_EQ(blocks(fused(builder)), 0);
  }
}

TEST(FuseInvertedResiduals, LeavesOutputs) {
  GraphBuilder builder(8, kSize, 6);
  builder.output(append(builder, builder.input(), {}).result);
  EXPECT_EQ(blocks(fused(builder)), 0);
}

TEST(FuseInvertedResiduals, AddsWhateverIsAdded) {
  // Another convolution computes the added value, between the parts of the block.
  GraphBuilder builder(8, kSize, 7);
  const ValueId expanded =
      builder.convolution(builder.input(), {.outputs = 16, .activation = Activation::relu});
  const ValueId other = builder.convolution(builder.input(), {.outputs = 8, .kernel = 3, .pad = 1});
  const ValueId filtered = builder.convolution(
      expanded, {.kernel = 3, .pad = 1, .depthwise = true, .activation = Activation::relu});
  const ValueId result = builder.convolution(filtered, {.outputs = 8}, {other});
  builder.output(builder.convolution(result, {.outputs = 4}));
  const Graph graph = fused(builder);
  EXPECT_EQ(blocks(graph), 1);
  EXPECT_EQ(graph.nodes.size(), 3U);
}

TEST(FuseInvertedResiduals, AsksWhetherItFits) {
  GraphBuilder builder(8, kSize, 8);
  const ValueId first = append(builder, builder.input(), {.expanded = 32}).result;
  builder.output(
      builder.convolution(append(builder, first, {.expanded = 64}).result, {.outputs = 4}));
  Graph graph = builder.graph();
  fuse_inverted_residuals(graph,
                          [](const InvertedResidual& op) { return op.expand.outputs == 64; });
  EXPECT_EQ(blocks(graph), 1);
  EXPECT_EQ(graph.nodes.size(), 5U);
}

}  // namespace
}  // namespace facepipe::detector::graph
