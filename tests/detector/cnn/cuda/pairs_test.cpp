// These tests compare kernels that compute pairs of convolutions with the interpreter, with random
// weights. Some sizes and numbers of channels don't fill a tile, and every kind of operator occurs
// before and after the pairs.
#include "detector/cnn/cuda/operators/pairs/pairs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "detector/cnn/cuda/chip.h"
#include "detector/cnn/model/graph/fuse_pairs.h"
#include "detector/cnn/model/graph/onnx_import.h"
#include "detector/cnn/model/graph/passes.h"
#include "tests/detector/cnn/cuda/known_model.h"
#include "tests/detector/cnn/cuda/layers.h"
#include "tests/detector/golden.h"
#include "tests/support/expect_error.h"
#include "tests/support/graph_builder.h"

namespace facepipe::detector {
namespace {

using graph::Activation;
using graph::ValueId;
using test::ConvolutionSpec;
using test::GraphBuilder;

class CudaPairs : public testing::Test {
 protected:
  void SetUp() override {
    if (!engine::has_fused_kernels(engine::current_chip()))
      GTEST_SKIP() << "no kernel for this device";
  }
  /// Fuses the pairs of the graph, expects `chains` chains, runs the network and compares every
  /// node.
  void expect_fused(GraphBuilder& builder, std::size_t chains) const {
    const test::Tensor noise = builder.noise();
    graph::Graph graph = builder.graph();
    graph::fuse_pairs(graph, engine::kPairLimits);
    graph::infer_shapes(graph, builder.size());
    std::size_t found = 0;
    for (const graph::Node& node : graph.nodes)
      if (const auto* const op = std::get_if<graph::PairChains>(&node.op))
        found += op->chains.size();
    ASSERT_EQ(found, chains);
    test::DeviceNetwork device(graph);
    device.upload(noise);
    device.run();
    test::expect_layers(graph, device);
  }

 private:
};

ValueId pair(GraphBuilder& builder, ValueId x, int channels,
             Activation activation = Activation::relu) {
  return builder.convolution(builder.convolution(x, {.outputs = channels}),
                             {.kernel = 3, .pad = 1, .depthwise = true, .activation = activation});
}

ValueId pool(GraphBuilder& builder, ValueId x) {
  return builder.node(graph::MaxPool{{2, 2, 2, 2, 0, 0, 0, 0}}, {x});
}

/// Adds a node that reads `value`, so that `value` isn't an output and is stored in halves.
void go_on_with(GraphBuilder& builder, ValueId value) {
  builder.output(builder.node(graph::Add{}, {value, value}));
}

// Some widths are exactly one to three strips of 30 columns or one pixel more, and others aren't.
// Some heights exceed a tile.
constexpr Size kSizes[] = {{1, 1},  {2, 1},  {1, 9},   {29, 5},  {30, 4},
                           {31, 6}, {60, 3}, {61, 17}, {90, 31}, {47, 101}};

// Each row is {input channels, output channels}. Some numbers fit an instance of the kernel
// exactly, and others are between those of two instances. The work needs one warp, several warps,
// or more warps than a block has. Some numbers don't fill a group of channels.
constexpr int kChannels[][2] = {{8, 8},   {16, 16}, {16, 64},  {24, 40},  {64, 64},   {64, 16},
                                {48, 48}, {40, 96}, {72, 104}, {128, 16}, {128, 128}, {3, 5}};

TEST_F(CudaPairs, OfAnyChannelsAndSizes) {
  unsigned seed = 1;
  for (const auto& [in, out] : kChannels)
    for (const Size size : kSizes)
      for (const Activation activation : {Activation::relu, Activation::none}) {
        SCOPED_TRACE(testing::Message()
                     << in << " to " << out << " channels of " << size.width << "x" << size.height);
        GraphBuilder builder(in, size, ++seed);
        go_on_with(builder, pair(builder, builder.input(), out, activation));
        expect_fused(builder, 1);
      }
}

TEST_F(CudaPairs, OfFloats) {
  unsigned seed = 1000;
  for (const auto& [in, out] : kChannels)
    for (const Size size : kSizes) {
      SCOPED_TRACE(testing::Message()
                   << in << " to " << out << " channels of " << size.width << "x" << size.height);
      GraphBuilder builder(in, size, ++seed);
      builder.output(pair(builder, builder.input(), out, Activation::none));
      expect_fused(builder, 1);
    }
}

TEST_F(CudaPairs, WithMaxima) {
  unsigned seed = 2000;
  for (const auto& [in, out] : kChannels)
    for (const Size size : kSizes)
      for (const bool keeps : {false, true}) {
        if (size.width < 2 || size.height < 2) continue;
        SCOPED_TRACE(testing::Message() << in << " to " << out << " channels of " << size.width
                                        << "x" << size.height << (keeps ? ", both" : ""));
        GraphBuilder builder(in, size, ++seed);
        const ValueId x = pair(builder, builder.input(), out);
        builder.output(pool(builder, x));
        if (keeps) go_on_with(builder, x);
        expect_fused(builder, 1);
      }
}

TEST_F(CudaPairs, BehindAnUpsampling) {
  unsigned seed = 3000;
  for (const auto& [in, out] : kChannels)
    for (const Size size : {Size{2, 2}, Size{30, 4}, Size{62, 18}, Size{32, 90}}) {
      SCOPED_TRACE(testing::Message()
                   << in << " to " << out << " channels of " << size.width << "x" << size.height);
      GraphBuilder builder(in, size, ++seed);
      const ValueId coarse = pool(builder, builder.input());
      const ValueId sum = builder.node(graph::Upsample{2}, {coarse, builder.input()});
      go_on_with(builder, pair(builder, sum, out));
      expect_fused(builder, 1);
    }
}

TEST_F(CudaPairs, OfSeveralMapsAtOnce) {
  for (const auto& [in, out] : kChannels)
    for (const bool last : {false, true}) {
      GraphBuilder builder(in, {62, 34}, 4000);
      const ValueId half = pool(builder, builder.input());
      const ValueId quarter = pool(builder, half);
      for (const ValueId x : {builder.input(), half, quarter, builder.input()}) {
        const ValueId y = pair(builder, x, out);
        if (last)
          builder.output(y);
        else
          go_on_with(builder, y);
      }
      expect_fused(builder, 4);
    }
}

TEST_F(CudaPairs, HoldsLargeValuesAtTheLargestHalf) {
  GraphBuilder builder(16, {33, 9}, 5000);
  go_on_with(builder, pair(builder, builder.input(), 16));
  graph::Graph graph = builder.graph();
  for (float& weight : std::get<graph::Convolution>(graph.nodes[0].op).weights) weight *= 6e4F;
  graph::fuse_pairs(graph, engine::kPairLimits);
  graph::infer_shapes(graph, builder.size());
  test::DeviceNetwork device(graph);
  device.upload(builder.noise());
  device.run();
  for (const float value : device.value(graph.nodes[0].outputs[0])) {
    ASSERT_GE(value, 0);
    ASSERT_LE(value, 65504);
  }
}

TEST_F(CudaPairs, RefusesWhatThereIsNoKernelFor) {
  using engine::PairResult;
  const struct {
    const char* reason;
    engine::PairKind kind;
    int maps;
    int groups;
    int rows;
  } cases[] = {
      {"inputs", {.steps = 3}, 1, 1, 1},
      {"maxima of an upsampled map", {.result = PairResult::maxima, .upsampled = true}, 1, 1, 2},
      {"no map", {}, 0, 1, 1},
      {"maps", {}, engine::kPairMaps + 1, 1, 1},
      {"no outputs", {}, 1, 0, 1},
      {"outputs", {}, 1, engine::kPairChannels / engine::kPairGroup + 1, 1},
      {"no rows", {}, 1, 1, 0},
      {"maxima of two tiles", {.result = PairResult::maxima}, 1, 1, 3},
  };
  for (const auto& refused : cases) {
    SCOPED_TRACE(refused.reason);
    engine::PairsArguments arguments{};
    arguments.map_count = refused.maps;
    arguments.groups = refused.groups;
    arguments.rows = refused.rows;
    arguments.teams = 1;
    test::expect_error(ErrorKind::internal,
                       "pairs: ", [&] { engine::launch_pairs(refused.kind, arguments, nullptr); });
  }
  EXPECT_FALSE(engine::pair_steps(engine::kPairChannels + 1).has_value());
}

TEST_F(CudaPairs, AreCutIntoTilesOfEvenRowsWhereTheyHaveMaxima) {
  for (const engine::PairResult result : {engine::PairResult::halves, engine::PairResult::maxima,
                                          engine::PairResult::halves_and_maxima})
    for (const Size size : kSizes)
      for (const int multiprocessors : {1, 20, 132}) {
        const int rows = engine::pair_rows_for({.steps = 4, .result = result}, 4, {&size, 1},
                                               {multiprocessors, 3, 1});
        EXPECT_GE(rows, 1);
        EXPECT_TRUE(!engine::has_maxima(result) || rows % 2 == 0) << rows;
      }
}

class CudaPairsOfModel : public test::KnownModel {};

TEST_P(CudaPairsOfModel, ComputesEveryLayer) {
  if (!engine::has_fused_kernels(engine::current_chip()))
    GTEST_SKIP() << "no kernel for this device";
  for (const Size size : {Size{96, 64}, Size{160, 128}, Size{416, 288}}) {
    graph::Graph graph = model().graph(size);
    graph::optimise(graph, size);
    graph::fuse_pairs(graph, engine::kPairLimits);
    graph::infer_shapes(graph, size);
    std::vector<std::uint8_t> bytes(3U * static_cast<std::size_t>(size.width) *
                                    static_cast<std::size_t>(size.height));
    test::fill_pattern(bytes, size);
    test::DeviceNetwork device(graph);
    device.upload({bytes.begin(), bytes.end()});
    device.run();
    test::expect_layers(graph, device);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, CudaPairsOfModel, testing::Values("yunet"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace facepipe::detector
