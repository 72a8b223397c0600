// These tests compare fused inverted residuals (the blocks of MobileNetV2) with the interpreter,
// which has values in float and sums in double.
//
// An error is the root mean square of the differences, divided by the root mean square of the
// result.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "detector/cnn/cuda/chip.h"
#include "detector/cnn/cuda/fusion.h"
#include "detector/cnn/cuda/operators/inverted_residual/tiles.h"
#include "detector/cnn/cuda/operators/inverted_residual/trial.h"
#include "detector/cnn/cuda/operators/inverted_residual/weights.h"
#include "detector/cnn/model/graph/onnx_import.h"
#include "detector/cnn/model/graph/passes.h"
#include "detector/cnn/model/model.h"
#include "tests/detector/cnn/cuda/device_network.h"
#include "tests/detector/cnn/cuda/fused.h"
#include "tests/detector/cnn/cuda/tile_text.h"
#include "tests/detector/files.h"
#include "tests/detector/golden.h"
#include "tests/support/graph_builder.h"

namespace facepipe::detector::engine {
namespace {

using graph::Activation;
using test::relative_error;
using test::Tensor;

constexpr double kError = 1e-3;

struct Block {
  int inputs;
  int expanded;
  int outputs;
  int stride;
  Size size;  ///< of the input's map
  Activation activation = Activation::none;
};

std::ostream& operator<<(std::ostream& out, const Block& b) {
  return out << b.inputs << " to " << b.expanded << " to " << b.outputs << ", stride " << b.stride
             << ", " << b.size.width << "x" << b.size.height;
}

/// Rounds values to halves, because the device's weights and inputs are halves.
Tensor rounded(Tensor values) {
  for (float& value : values) value = __half2float(__float2half_rn(value));
  return values;
}

/// Builds the three convolutions of a block, and one more that reads the block's output.
test::GraphBuilder built(const Block& block) {
  test::GraphBuilder builder(block.inputs, block.size, 7);
  const graph::ValueId expanded = builder.convolution(
      builder.input(), {.outputs = block.expanded, .activation = Activation::relu});
  const graph::ValueId filtered = builder.convolution(expanded, {.kernel = 3,
                                                                 .stride = block.stride,
                                                                 .pad = 1,
                                                                 .depthwise = true,
                                                                 .activation = Activation::relu});
  const bool residual = block.stride == 1 && block.inputs == block.outputs;
  const graph::ValueId result =
      builder.convolution(filtered, {.outputs = block.outputs, .activation = block.activation},
                          residual ? std::vector{builder.input()} : std::vector<graph::ValueId>{});
  builder.output(builder.convolution(result, {.outputs = 8}));
  return builder;
}

class FusedInvertedResidual : public testing::TestWithParam<Block> {
 protected:
  void SetUp() override {
    if (!has_fused_kernels(current_chip())) GTEST_SKIP() << "older than sm_80";
  }
};

TEST_P(FusedInvertedResidual, ComputesWhatItsPartsCompute) {
  test::GraphBuilder builder = built(GetParam());
  const Tensor input = rounded(builder.noise());
  const std::vector<Tensor> expected = test::interpret(builder.graph(), input);
  const graph::ValueId result = builder.graph().nodes[2].outputs[0];
  graph::Graph fused = builder.graph();
  fuse(fused, current_chip());
  ASSERT_TRUE(std::holds_alternative<graph::InvertedResidual>(fused.nodes[0].op));
  test::DeviceNetwork device(fused);
  device.upload(input);
  device.run();
  const double error =
      relative_error(device.value(result), expected[static_cast<std::size_t>(result)]);
  EXPECT_LE(error, kError) << GetParam();
  RecordProperty("error", std::to_string(error));
}

INSTANTIATE_TEST_SUITE_P(Sizes, FusedInvertedResidual,
                         testing::Values(
                             // These are CenterFace's blocks.
                             Block{16, 96, 24, 2, {126, 70}}, Block{24, 144, 24, 1, {95, 33}},
                             Block{24, 144, 32, 2, {120, 34}}, Block{32, 192, 32, 1, {61, 21}},
                             Block{32, 192, 64, 2, {62, 19}}, Block{64, 384, 64, 1, {60, 17}},
                             Block{64, 384, 96, 1, {31, 9}}, Block{96, 576, 96, 1, {33, 13}},
                             Block{96, 576, 160, 2, {59, 14}}, Block{160, 960, 160, 1, {40, 10}},
                             Block{160, 960, 24, 1, {20, 11}, Activation::relu},
                             // The channels of these blocks aren't multiples of the kernels' units.
                             Block{8, 16, 8, 1, {30, 4}}, Block{12, 40, 20, 1, {37, 9}},
                             Block{40, 120, 40, 1, {45, 8}}, Block{56, 100, 112, 2, {45, 8}},
                             Block{80, 240, 80, 1, {33, 6}}, Block{112, 336, 136, 1, {31, 5}},
                             Block{128, 512, 320, 2, {34, 7}}, Block{192, 1152, 192, 1, {14, 6}},
                             Block{20, 72, 6, 2, {33, 7}},
                             // These blocks have small pictures.
                             Block{24, 144, 24, 1, {1, 1}}, Block{24, 144, 24, 1, {1, 40}},
                             Block{32, 192, 32, 1, {70, 1}}, Block{16, 96, 24, 2, {1, 1}},
                             Block{16, 96, 24, 2, {2, 35}}, Block{96, 576, 160, 2, {63, 1}},
                             Block{160, 960, 160, 1, {2, 2}}));

/// Downloads a map from the device, where channels are innermost and padded to a multiple of 8.
/// Returns a tensor with channels outermost.
Tensor downloaded(cuda::DeviceSpan<const __half> span, const graph::MapShape& shape,
                  const cuda::Stream& stream) {
  std::vector<__half> halves(span.size);
  cuda::copy(std::span<__half>(halves), span, stream);
  stream.synchronize();
  const auto pixels = static_cast<std::size_t>(shape.height * shape.width);
  const std::size_t pitch = span.size / pixels;
  Tensor values;
  for (std::size_t c = 0; c < static_cast<std::size_t>(shape.channels); ++c)
    for (std::size_t p = 0; p < pixels; ++p) values.push_back(__half2float(halves[p * pitch + c]));
  return values;
}

/// Runs shapes with all tiles. The tests above use only the first tile of each shape.
class InvertedResidualTiles : public FusedInvertedResidual {};

TEST(InvertedResidualTileTable, HasTilesForLargePicturesOfAllWidths) {
  Chip h100{132, 232448, 90, "a chip"};
  for (const int chunks : {2, 3, 4, 8, 12, 16, 20, 24})
    for (const int stride : {1, 2}) {
      const InvertedResidualShape shape{chunks, 3 * chunks, 4, 5, stride, 2000, 4000};
      EXPECT_FALSE(candidate_tiles(shape, h100).empty()) << chunks << " chunks, stride " << stride;
    }
}

TEST(InvertedResidualTileTable, LeavesOldChipsAlone) {
  const InvertedResidualShape shape{4, 12, 4, 1, 1, 68, 120};
  EXPECT_TRUE(candidate_tiles(shape, {68, 65536, 75, "a chip"}).empty());
  for (const InvertedResidualTile& tile : candidate_tiles(shape, {108, 166912, 80, "a chip"}))
    EXPECT_EQ(tile.split, 1);
}

TEST(InvertedResidualTileTable, IsReadAsItIsWritten) {
  const InvertedResidualTile tile{5, 2, 9, 4, 1, false};
  EXPECT_EQ(tile_of(text_of(tile)), tile);
  for (const char* const wrong : {"", "1", "1,2,3,4,5", "1;2;3;4;5;6", "a,b,c,d,e,f"})
    EXPECT_THROW(static_cast<void>(tile_of(wrong)), std::invalid_argument) << wrong;
}

TEST_P(InvertedResidualTiles, AllComputeTheSame) {
  const test::GraphBuilder builder = built(GetParam());
  graph::Graph graph = builder.graph();
  fuse(graph, current_chip());
  const auto& op = std::get<graph::InvertedResidual>(graph.nodes[0].op);
  const bool residual = graph.nodes[0].inputs.size() > 1;
  const cuda::Stream stream;
  InvertedResidualTrial trial(op, graph.map(graph.input), residual, stream);
  const Tensor input = downloaded(trial.input(), graph.map(graph.input), stream);
  std::vector<const Tensor*> inputs{&input};
  if (residual) inputs.push_back(&input);
  const Tensor expected = test::interpret_node(graph, graph.nodes[0], inputs)[0];
  const std::vector<InvertedResidualTile> tiles = candidate_tiles(trial.shape(), current_chip());
  ASSERT_GT(tiles.size(), 5U);
  for (const InvertedResidualTile& tile : tiles) {
    trial.forget_output(stream);
    static_cast<void>(trial.time(tile, 1, stream));
    const Tensor actual = downloaded(trial.output(), graph.map(graph.nodes[0].outputs[0]), stream);
    EXPECT_LE(relative_error(actual, expected), kError) << text_of(tile);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, InvertedResidualTiles,
    testing::Values(Block{16, 96, 24, 2, {63, 19}}, Block{24, 144, 24, 1, {35, 23}},
                    Block{32, 192, 32, 1, {31, 11}}, Block{32, 192, 64, 2, {62, 9}},
                    Block{64, 384, 96, 1, {32, 13}}, Block{96, 576, 96, 1, {31, 7}},
                    Block{96, 576, 160, 2, {33, 9}}, Block{160, 960, 160, 1, {16, 7}},
                    Block{160, 960, 24, 1, {31, 6}, Activation::relu}));

/// Blocks with CenterFace's own weights may have this error. One block (64 to 96 channels, without
/// a residual) has an error of 1.2e-3: weights rounded to halves cause 0.5e-3, and the depthwise
/// convolution's sums in halves cause 0.8e-3. The other blocks are within kError.
constexpr double kErrorOfCenterFace = 1.3e-3;

TEST(InvertedResidualsOfCenterFace, HoldTheErrorWithTheModelsWeights) {
  if (!has_fused_kernels(current_chip())) GTEST_SKIP() << "older than sm_80";
  constexpr Size kSize{160, 128};
  const Model model(test::centerface_file());
  graph::Graph graph = model.graph(kSize);
  graph::optimise(graph, kSize);
  fuse(graph, current_chip());
  std::vector<std::uint8_t> bytes(3U * kSize.width * kSize.height);
  test::fill_pattern(bytes, kSize);
  test::DeviceNetwork device(graph);
  device.upload({bytes.begin(), bytes.end()});
  device.run();
  int blocks = 0;
  int above = 0;
  for (const graph::Node& node : graph.nodes) {
    if (!std::holds_alternative<graph::InvertedResidual>(node.op)) continue;
    ++blocks;
    std::vector<Tensor> inputs;
    for (const graph::ValueId input : node.inputs) inputs.push_back(device.value(input));
    std::vector<const Tensor*> pointers;
    for (const Tensor& input : inputs) pointers.push_back(&input);
    const Tensor expected = test::interpret_node(graph, node, pointers)[0];
    const double error = relative_error(device.value(node.outputs[0]), expected);
    EXPECT_LE(error, kErrorOfCenterFace) << node.name;
    above += error > kError ? 1 : 0;
  }
  EXPECT_EQ(blocks, 16);
  EXPECT_LE(above, 1);
}

}  // namespace
}  // namespace facepipe::detector::engine
