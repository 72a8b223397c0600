// These tests compare the steps of a feature pyramid with the interpreter, with random weights.
#include <gtest/gtest.h>

#include <algorithm>

#include "detector/cnn/cuda/operators/pyramid/pyramid.h"
#include "detector/cnn/model/graph/fuse_pyramid.h"
#include "tests/detector/cnn/cuda/fused.h"
#include "tests/support/graph_builder.h"

namespace facepipe::detector {
namespace {

using graph::Activation;
using graph::ValueId;
using test::GraphBuilder;

struct StepSpec {
  int coarse = 24;  ///< channels of the coarse map
  int fine = 24;
  int outputs = 24;
  Activation up = Activation::relu;
  Activation lateral = Activation::relu;
};

/// Checks a pyramid step whose coarse map has the size `size` and whose fine map has twice that
/// size.
void expect_step(const StepSpec& spec, Size size) {
  SCOPED_TRACE(testing::Message() << spec.coarse << "+" << spec.fine << " to " << spec.outputs
                                  << " channels, " << size.width << "x" << size.height);
  GraphBuilder builder(spec.coarse, size, 1);
  ValueId fine = builder.node(graph::Upsample{2}, {builder.input()});
  fine = builder.convolution(fine, {.outputs = spec.fine});
  const ValueId lateral =
      builder.convolution(fine, {.outputs = spec.outputs, .activation = spec.lateral});
  const ValueId step = builder.transposed(builder.input(), spec.outputs, spec.up, {lateral});
  builder.output(builder.node(graph::Add{}, {step, step}));
  graph::Graph graph = builder.graph();
  graph::fuse_pyramid(graph, 8 * engine::kMostPyramidTiles);
  graph::infer_shapes(graph, size);
  const auto node = std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const auto& n) {
    return std::holds_alternative<graph::PyramidStep>(n.op);
  });
  ASSERT_NE(node, graph.nodes.end());
  test::DeviceNetwork device(graph);
  device.upload(builder.noise());
  device.run();
  test::expect_fused(graph, *node, device);
}

TEST(CudaPyramid, ComputesAnyChannels) {
  for (const int coarse : {5, 8, 16, 24, 40, 96})
    for (const int fine : {8, 20, 24, 32, 96})
      for (const int outputs : {3, 8, 24, 32, 64}) expect_step({coarse, fine, outputs}, {19, 7});
}

TEST(CudaPyramid, ComputesAnySize) {
  for (const Size size : {Size{1, 1}, Size{2, 3}, Size{15, 2}, Size{16, 5}, Size{17, 9},
                          Size{31, 4}, Size{32, 1}, Size{33, 6}, Size{60, 34}, Size{7, 41}})
    expect_step({}, size);
}

TEST(CudaPyramid, ComputesEveryActivation) {
  for (const Activation up : {Activation::none, Activation::relu})
    for (const Activation lateral : {Activation::none, Activation::relu})
      expect_step({24, 24, 24, up, lateral}, {19, 7});
}

}  // namespace
}  // namespace facepipe::detector
