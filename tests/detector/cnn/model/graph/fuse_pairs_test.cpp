// These tests check the pass that makes chains of pairs: which nodes it takes and which it leaves,
// and that the graph still computes the same.
#include "detector/cnn/model/graph/fuse_pairs.h"

#include <gtest/gtest.h>

#include "detector/cnn/model/graph/passes.h"
#include "tests/support/graph_builder.h"

namespace facepipe::detector::graph {
namespace {

using test::ConvolutionSpec;
using test::GraphBuilder;
using test::Tensor;

constexpr ConvolutionSpec kDepthwise{
    .kernel = 3, .pad = 1, .depthwise = true, .activation = Activation::relu};

ValueId pair(GraphBuilder& builder, ValueId x, int channels,
             const ConvolutionSpec& depthwise = kDepthwise) {
  return builder.convolution(builder.convolution(x, {.outputs = channels}), depthwise);
}

ValueId pool(GraphBuilder& builder, ValueId x) {
  return builder.node(MaxPool{{2, 2, 2, 2, 0, 0, 0, 0}}, {x});
}

void expect_same(const Graph& before, const Graph& after, const Tensor& input) {
  const std::vector<Tensor> expected = test::interpret_outputs(before, input);
  const std::vector<Tensor> actual = test::interpret_outputs(after, input);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t o = 0; o < expected.size(); ++o) {
    EXPECT_EQ(after.outputs[o].name, before.outputs[o].name);
    EXPECT_EQ(actual[o], expected[o]) << after.outputs[o].name;
  }
}

/// Returns the graph after the pass, which must not change any bit of an output: it moves operators
/// but doesn't change arithmetic.
Graph fused(GraphBuilder& builder, const PairLimits& limits = {}) {
  Graph graph = builder.graph();
  fuse_pairs(graph, limits);
  infer_shapes(graph, builder.size());
  expect_same(builder.graph(), graph, builder.noise());
  return graph;
}

const PairChains& chains_at(const Graph& graph, std::size_t n) {
  return std::get<PairChains>(graph.nodes.at(n).op);
}

long count_chains(const Graph& graph) { return test::count_nodes<PairChains>(graph); }

TEST(FusePairs, TakesAPointwiseAndTheDepthwiseBehindIt) {
  GraphBuilder builder(5, {11, 7}, 1);
  builder.output(pair(builder, builder.input(), 9));
  const Graph graph = fused(builder);
  ASSERT_EQ(graph.nodes.size(), 1U);
  const PairChain& chain = chains_at(graph, 0).chains.at(0);
  EXPECT_EQ(chain.pair.depthwise.activation, Activation::relu);
  EXPECT_EQ(graph.nodes[0].name, "node0+node1");
}

TEST(FusePairs, LeavesWhatIsNoPair) {
  // Each case changes one property of a pair, so that it is no longer a pair. `reason` says why.
  const struct {
    const char* reason;
    ConvolutionSpec first;
    ConvolutionSpec second;
  } cases[] = {
      {"an activation between them", {.activation = Activation::relu}, kDepthwise},
      {"a window before the depthwise one", {.kernel = 3, .pad = 1}, kDepthwise},
      {"a stride of the first", {.stride = 2}, kDepthwise},
      {"a stride", {}, {.kernel = 3, .stride = 2, .pad = 1, .depthwise = true}},
      {"another window", {}, {.kernel = 5, .pad = 2, .depthwise = true}},
      {"no padding", {}, {.kernel = 3, .depthwise = true}},
      {"all channels in the window", {}, {.kernel = 3, .pad = 1}},
      {"sigmoid",
       {},
       {.kernel = 3, .pad = 1, .depthwise = true, .activation = Activation::sigmoid}},
  };
  for (const auto& spec : cases) {
    SCOPED_TRACE(spec.reason);
    GraphBuilder builder(4, {13, 9}, 2);
    builder.output(
        builder.convolution(builder.convolution(builder.input(), spec.first), spec.second));
    EXPECT_EQ(count_chains(fused(builder)), 0);
  }
}

TEST(FusePairs, LeavesWhatOthersSee) {
  GraphBuilder builder(4, {13, 9}, 3);
  const ValueId read_twice = builder.convolution(builder.input(), {.outputs = 8});
  builder.output(builder.convolution(read_twice, kDepthwise));
  builder.output(builder.convolution(read_twice, kDepthwise));
  const ValueId handed_out = builder.convolution(builder.input(), {.outputs = 8});
  builder.output(handed_out);
  builder.output(builder.convolution(handed_out, kDepthwise));
  const ValueId first = builder.convolution(builder.input(), {.outputs = 4}, {builder.input()});
  builder.output(builder.convolution(first, kDepthwise));  // `first` has a residual
  EXPECT_EQ(count_chains(fused(builder)), 0);
}

TEST(FusePairs, KeepsToItsLimits) {
  for (const auto& [in, out, taken] : {std::tuple{8, 9, 0}, {9, 8, 0}, {8, 8, 1}}) {
    GraphBuilder builder(in, {5, 5}, 4);
    builder.output(pair(builder, builder.input(), out));
    EXPECT_EQ(count_chains(fused(builder, {.channels = 8})), taken);
  }
}

TEST(FusePairs, TakesThePoolingThatAloneReadsIt) {
  GraphBuilder builder(3, {11, 7}, 5);
  builder.output(pool(builder, pair(builder, builder.input(), 4)));
  const Graph graph = fused(builder);
  ASSERT_EQ(graph.nodes.size(), 1U);
  EXPECT_TRUE(chains_at(graph, 0).chains[0].pools);
  EXPECT_FALSE(chains_at(graph, 0).chains[0].keeps);
}

TEST(FusePairs, TakesThePoolingBesideOtherReaders) {
  GraphBuilder builder(3, {12, 8}, 6);
  const ValueId x = pair(builder, builder.input(), 4);
  builder.output(pool(builder, x));
  builder.output(builder.node(Add{}, {x, x}));
  builder.output(pool(builder, x));  // the second pooling stays
  const Graph graph = fused(builder);
  EXPECT_EQ(graph.nodes.size(), 3U);
  EXPECT_TRUE(chains_at(graph, 0).chains[0].pools);
  EXPECT_TRUE(chains_at(graph, 0).chains[0].keeps);
}

TEST(FusePairs, LeavesOtherPooling) {
  for (const Window& window : {Window{3, 3, 2, 2, 0, 0, 0, 0}, Window{2, 2, 1, 1, 0, 0, 0, 0},
                               Window{2, 2, 2, 2, 0, 0, 1, 1}}) {
    GraphBuilder builder(3, {12, 8}, 7);
    builder.output(builder.node(MaxPool{window}, {pair(builder, builder.input(), 4)}));
    EXPECT_EQ(fused(builder).nodes.size(), 2U);
  }
}

TEST(FusePairs, TakesTheUpsamplingWithItsAddition) {
  GraphBuilder builder(4, {12, 8}, 8);
  const ValueId coarse = pool(builder, builder.input());
  const ValueId sum = builder.node(Upsample{2}, {coarse, builder.input()});
  builder.output(pair(builder, sum, 6));
  const Graph graph = fused(builder);
  ASSERT_EQ(graph.nodes.size(), 2U);
  EXPECT_TRUE(chains_at(graph, 1).chains[0].upsampled);
  EXPECT_EQ(graph.nodes[1].inputs, (std::vector{coarse, builder.input()}));
}

TEST(FusePairs, LeavesOtherUpsampling) {
  GraphBuilder builder(4, {12, 8}, 9);
  const ValueId coarse = pool(builder, builder.input());
  builder.output(pair(builder, builder.node(Upsample{2}, {coarse}), 6));  // adds no second map
  const ValueId shared = builder.node(Upsample{2}, {coarse, builder.input()});
  builder.output(pair(builder, shared, 5));
  builder.output(shared);
  const ValueId coarser = builder.node(MaxPool{{4, 4, 4, 4, 0, 0, 0, 0}}, {builder.input()});
  builder.output(pair(builder, builder.node(Upsample{4}, {coarser, builder.input()}), 3));
  const Graph graph = fused(builder);
  EXPECT_EQ(count_chains(graph), 3);
  for (const Node& node : graph.nodes) {
    const auto* const op = std::get_if<PairChains>(&node.op);
    EXPECT_FALSE(op != nullptr && op->chains[0].upsampled);
  }
}

TEST(FusePairs, KeepsPairsApartThatReadEachOther) {
  GraphBuilder builder(3, {12, 8}, 10);
  ValueId x = builder.input();
  for (const int channels : {4, 5, 6}) x = pair(builder, x, channels);
  builder.output(pool(builder, x));
  EXPECT_EQ(fused(builder).nodes.size(), 3U);

  GraphBuilder shared(3, {12, 8}, 11);
  const ValueId pooled = pool(shared, pair(shared, shared.input(), 4));
  const ValueId read_twice = pair(shared, pooled, 4);
  shared.output(read_twice);
  shared.output(pair(shared, read_twice, 4));
  EXPECT_EQ(count_chains(fused(shared)), 3);
}

TEST(FusePairs, GroupsChainsThatDoNotReadEachOther) {
  GraphBuilder builder(3, {12, 8}, 12);
  const ValueId fine = pair(builder, builder.input(), 4);
  const ValueId coarse = pool(builder, builder.input());
  const ValueId other = pair(builder, coarse, 4);
  builder.output(builder.node(Add{}, {fine, fine}));
  builder.output(builder.node(Add{}, {other, other}));
  const Graph graph = fused(builder);
  ASSERT_EQ(count_chains(graph), 2);  // the second chain's input comes after the first chain

  GraphBuilder later(3, {12, 8}, 12);
  const ValueId pooled = pool(later, later.input());
  later.output(pair(later, later.input(), 4));
  later.output(pair(later, pooled, 4));
  later.output(pair(later, pooled, 5));  // this pair has another number of channels
  const Graph grouped = fused(later);
  ASSERT_EQ(count_chains(grouped), 2);
  EXPECT_EQ(chains_at(grouped, 1).chains.size(), 2U);
  EXPECT_EQ(chains_at(grouped, 2).chains.size(), 1U);
}

TEST(FusePairs, GroupsOneKindOnly) {
  constexpr ConvolutionSpec kLinear{.kernel = 3, .pad = 1, .depthwise = true};
  GraphBuilder builder(4, {12, 8}, 14);
  const ValueId half = pool(builder, builder.input());
  const ValueId sum = builder.node(Upsample{2}, {half, builder.input()});
  builder.output(pair(builder, half, 4));
  builder.output(pair(builder, half, 4, kLinear));  // without relu
  builder.output(pair(builder, sum, 4));            // reads two maps
  builder.output(pool(builder, pair(builder, half, 4)));
  const ValueId both = pair(builder, half, 4);
  builder.output(pool(builder, both));
  builder.output(both);
  EXPECT_EQ(count_chains(fused(builder)), 5);
}

TEST(FusePairs, GroupsNoMoreThanItsLimitAndNoLastLayerWithAnother) {
  GraphBuilder builder(3, {6, 5}, 13);
  for (int i = 0; i < 5; ++i) builder.output(pair(builder, builder.input(), 4));
  const ValueId inner = pair(builder, builder.input(), 4);
  builder.output(builder.node(Add{}, {inner, inner}));
  const Graph graph = fused(builder, {.chains = 4});
  EXPECT_EQ(count_chains(graph), 3);  // groups of four and of one, and the inner one
}

}  // namespace
}  // namespace facepipe::detector::graph
