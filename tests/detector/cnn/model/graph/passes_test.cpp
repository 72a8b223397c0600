// These tests check each pass: the graph computes the same as before, and has the shape that the
// pass promises.
#include "detector/cnn/model/graph/passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "tests/support/graph_builder.h"

namespace facepipe::detector::graph {
namespace {

using test::count_nodes;
using test::GraphBuilder;
using test::Tensor;

constexpr Size kSize{11, 7};

/// Compares the outputs of both graphs, up to float rounding.
void expect_same(const Graph& before, const Graph& after, const Tensor& input) {
  const std::vector<Tensor> expected = test::interpret_outputs(before, input);
  const std::vector<Tensor> actual = test::interpret_outputs(after, input);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t o = 0; o < expected.size(); ++o) {
    EXPECT_EQ(after.outputs[o].name, before.outputs[o].name);
    ASSERT_EQ(actual[o].size(), expected[o].size());
    double worst = 0;
    for (std::size_t i = 0; i < expected[o].size(); ++i)
      worst = std::max(worst, static_cast<double>(std::abs(actual[o][i] - expected[o][i])));
    EXPECT_LE(worst, 2e-5) << after.outputs[o].name;
  }
}

template <class Pass>
Graph passed(GraphBuilder& builder, Pass pass) {
  Graph graph = builder.graph();
  pass(graph);
  infer_shapes(graph, builder.size());
  expect_same(builder.graph(), graph, builder.noise());
  return graph;
}

TEST(FoldBatchNorm, JoinsTheConvolutionBeforeIt) {
  GraphBuilder builder(3, kSize, 1);
  const ValueId x = builder.convolution(builder.input(), {.outputs = 5, .kernel = 3, .pad = 1});
  builder.output(builder.batch_norm(builder.transposed(builder.batch_norm(x), 4, {})));
  const Graph graph = passed(builder, fold_batch_norm);
  EXPECT_EQ(graph.nodes.size(), 2U);
  EXPECT_EQ(count_nodes<BatchNormalization>(graph), 0);
}

TEST(FoldBatchNorm, StandsAloneWhereItCanNotJoin) {
  GraphBuilder builder(3, kSize, 2);
  builder.output(builder.batch_norm(builder.input()));  // there is no convolution before it
  const ValueId shared = builder.convolution(builder.input(), {.outputs = 4});
  builder.output(shared);
  builder.output(builder.batch_norm(shared));  // the convolution before it is also an output
  const ValueId active =
      builder.convolution(builder.input(), {.outputs = 4, .activation = Activation::relu});
  builder.output(builder.batch_norm(active));
  const Graph graph = passed(builder, fold_batch_norm);
  EXPECT_EQ(graph.nodes.size(), 5U);
  EXPECT_EQ(count_nodes<Convolution>(graph), 5);
}

TEST(FuseActivations, JoinsWhatNobodyElseReads) {
  GraphBuilder builder(3, kSize, 3);
  const ValueId x = builder.convolution(builder.input(), {.outputs = 6});
  const ValueId relu = builder.node(Activate{Activation::relu}, {x});
  const ValueId y = builder.transposed(relu, 2, {});
  builder.output(builder.node(Activate{Activation::sigmoid}, {y}));
  const Graph graph = passed(builder, fuse_activations);
  EXPECT_EQ(graph.nodes.size(), 2U);
}

TEST(FuseActivations, LeavesWhatOthersReadAndWhatIsActiveAlready) {
  GraphBuilder builder(3, kSize, 4);
  const ValueId x = builder.convolution(builder.input(), {.outputs = 6});
  builder.output(builder.node(Activate{Activation::relu}, {x}));
  builder.output(builder.convolution(x, {.outputs = 2}));
  const ValueId active = builder.convolution(x, {.outputs = 6, .activation = Activation::relu});
  builder.output(builder.node(Activate{Activation::sigmoid}, {active}));
  const ValueId sum = builder.convolution(x, {.outputs = 6}, {x});
  builder.output(builder.node(Activate{Activation::relu}, {sum}));  // relu(a + b), not relu(a) + b
  EXPECT_EQ(passed(builder, fuse_activations).nodes.size(), builder.graph().nodes.size());
}

TEST(JoinSilu, IsOneActivation) {
  GraphBuilder builder(3, kSize, 20);
  const ValueId x = builder.convolution(builder.input(), {.outputs = 6});
  const ValueId y = builder.node(Multiply{}, {builder.node(Activate{Activation::sigmoid}, {x}), x});
  const ValueId z = builder.convolution(y, {.outputs = 6});
  builder.output(builder.node(Multiply{}, {z, builder.node(Activate{Activation::sigmoid}, {z})}));
  const Graph graph = passed(builder, join_silu);
  EXPECT_EQ(count_nodes<Multiply>(graph), 0);
  EXPECT_EQ(graph.nodes.size(), 4U);
  EXPECT_EQ(passed(builder,
                   [&](Graph& both) {
                     join_silu(both);
                     fuse_activations(both);
                   })
                .nodes.size(),
            2U);
}

TEST(JoinSilu, LeavesOtherProducts) {
  GraphBuilder builder(3, kSize, 21);
  const ValueId x = builder.convolution(builder.input(), {.outputs = 6});
  const ValueId y = builder.convolution(builder.input(), {.outputs = 6});
  const ValueId sigmoid = builder.node(Activate{Activation::sigmoid}, {x});
  builder.output(builder.node(Multiply{}, {y, sigmoid}));  // y isn't the sigmoid's input
  builder.output(builder.node(Multiply{}, {x, sigmoid}));  // the sigmoid has two readers
  builder.output(builder.node(Multiply{}, {y, builder.node(Activate{Activation::relu}, {y})}));
  EXPECT_EQ(passed(builder, join_silu).nodes.size(), builder.graph().nodes.size());
}

/// Appends a shuffle as exporters write it. `order` is the new order of the axes.
ValueId written_shuffle(GraphBuilder& builder, ValueId x, const std::vector<int>& order) {
  const ValueId groups = builder.node(Reshape{{2, 4, 0, 0}}, {x});
  return builder.node(Reshape{{1, 8, kSize.height, kSize.width}},
                      {builder.node(Transpose{order}, {groups})});
}

TEST(JoinShuffles, AreOneNode) {
  GraphBuilder builder(8, kSize, 22);
  const ValueId once = written_shuffle(builder, builder.input(), {1, 0, 2, 3});
  builder.output(written_shuffle(builder, once, {1, 0, 2, 3}));
  const Graph graph = passed(builder, join_shuffles);
  EXPECT_EQ(graph.nodes.size(), 2U);
  EXPECT_EQ(count_nodes<Shuffle>(graph), 2);
}

TEST(JoinShuffles, LeavesOtherOrders) {
  GraphBuilder builder(8, kSize, 23);
  builder.output(written_shuffle(builder, builder.input(), {0, 1, 2, 3}));
  const ValueId groups = builder.node(Reshape{{2, 4, 0, 0}}, {builder.input()});
  builder.output(groups);  // another node reads `groups`, too
  const ValueId swapped = builder.node(Transpose{{1, 0, 2, 3}}, {groups});
  builder.output(builder.node(Reshape{{1, 8, kSize.height, kSize.width}}, {swapped}));
  EXPECT_EQ(passed(builder, join_shuffles).nodes.size(), builder.graph().nodes.size());
}

TEST(JoinParts, ReadTheMapItself) {
  GraphBuilder builder(8, kSize, 24);
  const std::vector<ValueId> parts = builder.split(builder.input(), {2, 6});
  const ValueId more = builder.convolution(parts[1], {.outputs = 3});
  const ValueId all = builder.node(Concat{}, {more, parts[0], parts[1], more});
  builder.output(all);
  const Graph graph = passed(builder, join_parts);
  EXPECT_EQ(graph.nodes.back().inputs, (std::vector<ValueId>{more, builder.input(), more}));
}

TEST(JoinParts, OnlyIfAllAreThereInOrder) {
  GraphBuilder builder(8, kSize, 25);
  const std::vector<ValueId> parts = builder.split(builder.input(), {2, 3, 3});
  builder.output(builder.node(Concat{}, {parts[0], parts[1]}));
  builder.output(builder.node(Concat{}, {parts[1], parts[0], parts[2]}));
  const Graph graph = passed(builder, join_parts);
  EXPECT_EQ(graph.nodes[1].inputs.size(), 2U);
  EXPECT_EQ(graph.nodes[2].inputs.size(), 3U);
}

TEST(FuseAdds, BecomesTheSecondInput) {
  GraphBuilder builder(6, kSize, 5);
  const ValueId x = builder.convolution(builder.input(), {.outputs = 6, .kernel = 3, .pad = 1});
  const ValueId sum = builder.node(Add{}, {builder.input(), x});
  const ValueId up = builder.node(Upsample{2}, {sum});
  const ValueId deconvolved = builder.transposed(sum, 6, Activation::relu);
  builder.output(builder.node(Add{}, {up, deconvolved}));
  const Graph graph = passed(builder, fuse_adds);
  EXPECT_EQ(count_nodes<Add>(graph), 0);
  EXPECT_EQ(graph.nodes.size(), 3U);
}

TEST(FuseAdds, TakesTheOperandThatNobodyElseReads) {
  GraphBuilder builder(4, kSize, 6);
  const ValueId shared = builder.convolution(builder.input(), {.outputs = 4});
  const ValueId own = builder.convolution(shared, {.outputs = 4});
  const ValueId later = builder.convolution(shared, {.outputs = 4});
  builder.output(builder.node(Add{}, {shared, own}));
  builder.output(later);
  builder.output(builder.node(Add{}, {later, shared}));  // both operands have other readers
  builder.output(builder.node(Add{}, {shared, shared}));
  EXPECT_EQ(count_nodes<Add>(passed(builder, fuse_adds)), 2);
}

/// Adds two heads of 1 and 4 channels, as in CenterFace.
void add_plain_heads(GraphBuilder& builder, ValueId x) {
  const ValueId heat = builder.convolution(x, {.outputs = 1});
  builder.output(builder.node(Activate{Activation::sigmoid}, {heat}));
  builder.output(builder.convolution(x, {.outputs = 4}));
}

TEST(MergeHeads, OfOneLayer) {
  GraphBuilder builder(5, kSize, 7);
  const ValueId x = builder.convolution(builder.input(), {.outputs = 8});
  add_plain_heads(builder, x);
  const Graph graph = passed(builder, merge_heads);
  EXPECT_EQ(count_nodes<Convolution>(graph), 2);
  EXPECT_EQ(count_nodes<Split>(graph), 1);
}

TEST(MergeHeads, OfTwoLayersOfEachLevel) {
  GraphBuilder builder(5, kSize, 8);
  for (int level = 0; level < 2; ++level) {
    const ValueId x = builder.convolution(builder.input(), {.outputs = 8, .stride = level + 1});
    for (const int channels : {1, 4, 1, 10}) {
      const ValueId first = builder.convolution(x, {.outputs = channels});
      builder.output(builder.convolution(first, {.kernel = 3, .pad = 1, .depthwise = true}));
    }
  }
  const Graph graph = passed(builder, merge_heads);
  EXPECT_EQ(count_nodes<Convolution>(graph), 2 * 3);
  EXPECT_EQ(count_nodes<Split>(graph), 2);
}

TEST(MergeHeads, LeavesWhatTheNetworkGoesOnWith) {
  GraphBuilder builder(5, kSize, 9);
  const ValueId a = builder.convolution(builder.input(), {.outputs = 4});
  const ValueId b = builder.convolution(builder.input(), {.outputs = 4});
  builder.output(builder.node(Add{}, {a, b}));
  builder.output(builder.convolution(builder.input(), {.outputs = 4, .kernel = 3, .pad = 1}));
  EXPECT_EQ(passed(builder, merge_heads).nodes.size(), 4U);
}

TEST(AbsorbOutputLayout, LeavesCellsToTheOutput) {
  GraphBuilder builder(5, kSize, 10);
  const ValueId x = builder.convolution(builder.input(), {.outputs = 4});
  const ValueId moved = builder.node(Transpose{{0, 2, 3, 1}}, {x});
  const ValueId cells = builder.node(Reshape{{1, -1, 4}}, {moved});
  builder.output(builder.node(Activate{Activation::sigmoid}, {cells}));
  const Graph graph = passed(builder, absorb_output_layout);
  EXPECT_EQ(graph.nodes.size(), 2U);
  EXPECT_EQ(graph.outputs[0].layout, OutputLayout::cells);
}

TEST(AbsorbOutputLayout, TakesSeveralCellsOfAPlace) {
  GraphBuilder builder(6, kSize, 15);
  const ValueId moved = builder.node(Transpose{{0, 2, 3, 1}}, {builder.input()});
  builder.output(builder.node(Reshape{{1, -1, 3}}, {moved}));
  const Graph graph = passed(builder, absorb_output_layout);
  EXPECT_EQ(graph.nodes.size(), 0U);
  EXPECT_EQ(graph.outputs[0].layout, OutputLayout::cells);
}

TEST(AbsorbOutputLayout, LeavesOtherOrdersAndShapes) {
  GraphBuilder builder(5, kSize, 11);
  const ValueId moved = builder.node(Transpose{{0, 3, 2, 1}}, {builder.input()});
  builder.output(builder.node(Reshape{{1, -1, 5}}, {moved}));
  const ValueId other = builder.node(Transpose{{0, 2, 3, 1}}, {builder.input()});
  builder.output(builder.node(Reshape{{1, 5, -1}}, {other}));
  EXPECT_EQ(passed(builder, absorb_output_layout).nodes.size(), 4U);
}

TEST(Optimise, DoesAllOfIt) {
  GraphBuilder builder(3, {16, 8}, 12);
  ValueId x =
      builder.convolution(builder.input(), {.outputs = 8, .kernel = 3, .stride = 2, .pad = 1});
  x = builder.node(Activate{Activation::relu}, {builder.batch_norm(x)});
  const ValueId deep = builder.node(MaxPool{{2, 2, 2, 2, 0, 0, 0, 0}}, {x});
  const ValueId up = builder.node(Activate{Activation::relu},
                                  {builder.batch_norm(builder.transposed(deep, 8, {}))});
  add_plain_heads(builder, builder.node(Add{}, {up, x}));
  const auto optimised = [&](Graph& graph) { optimise(graph, builder.size()); };
  const Graph graph = passed(builder, optimised);
  EXPECT_EQ(graph.nodes.size(), 6U);  // stem, pool, transposed, head, the head's split, sigmoid
}

TEST(InferShapes, NamesTheNodeThatCanNotBe) {
  GraphBuilder builder(3, kSize, 13);
  builder.output(builder.convolution(builder.input(), {.outputs = 4, .kernel = 3}));
  Graph graph = builder.graph();
  try {
    infer_shapes(graph, {2, 2});
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_STREQ(
        error.what(),
        "model built: node node0 (Convolution): its window is larger than its input 1x3x2x2");
  }
}

TEST(InferShapes, RefusesWhatDoesNotFit) {
  const std::vector<std::pair<Operator, std::vector<ValueId>>> refused{
      {Add{}, {0, 1}},                           // 3 and 4 channels
      {Split{{1, 1}}, {0}},                      // 2 of 3 channels
      {Transpose{{0, 1, 1, 2}}, {0}},            // the same axis twice
      {Transpose{{0, 1}}, {0}},                  // has another rank
      {Reshape{{2, -1}}, {0}},                   // 231 values
      {Reshape{{-1, -1}}, {0}},                  // two open extents
      {Reshape{{1, 3}}, {0}},                    // too few values
      {BatchNormalization{{1}, {1}}, {0}},       // 1 channel
      {MaxPool{{9, 2, 1, 1, 0, 0, 0, 0}}, {0}},  // larger than the input
      {Upsample{2}, {0, 1}},                     // a residual of another shape
      {Upsample{40000}, {0}},                    // exceeds any picture
  };
  for (std::size_t i = 0; i < refused.size(); ++i) {
    GraphBuilder builder(3, kSize, 14);
    (void)builder.convolution(builder.input(), {.outputs = 4});
    Graph graph = builder.graph();
    Node node{"wrong", refused[i].first, refused[i].second, {graph.add_value("out")}};
    if (std::holds_alternative<Split>(node.op)) node.outputs.push_back(graph.add_value("out2"));
    graph.nodes.push_back(node);
    EXPECT_THROW(infer_shapes(graph, kSize), Error) << i;
  }
}

}  // namespace
}  // namespace facepipe::detector::graph
