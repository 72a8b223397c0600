// These tests check the convolution's kernel with every tile. Small networks don't use all tiles.
#include "detector/cnn/cuda/operators/convolution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "tests/support/expect_error.h"

namespace facepipe::detector::engine {
namespace {

constexpr int kRows = 411;     // rows of the first matrix; not a multiple of a tile's rows
constexpr int kColumns = 136;  // columns of the result; more than the widest tile has
constexpr int kSums = 200;
constexpr int kPaddedColumns = 1024;  // enough for the columns of any tile

/// Multiplies two matrices of halves, as a convolution does.
class Product {
 public:
  Product() {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> noise(-1, 1);
    for (int i = 0; i < kRows * kSums; ++i) input_.push_back(__float2half(noise(random)));
    for (int i = 0; i < kColumns * kSums; ++i)
      weights_.push_back(__float2half(noise(random) / std::sqrt(static_cast<float>(kSums))));
    bias_.resize(kPaddedColumns);
    std::generate_n(bias_.begin(), kColumns, [&] { return noise(random); });
  }

  [[nodiscard]] double expected(int row, int column) const {
    double sum = bias_[static_cast<std::size_t>(column)];
    for (int i = 0; i < kSums; ++i)
      sum +=
          static_cast<double>(__half2float(input_[static_cast<std::size_t>(row * kSums + i)])) *
          static_cast<double>(__half2float(weights_[static_cast<std::size_t>(column * kSums + i)]));
    return std::max(sum, 0.0);
  }

  [[nodiscard]] std::vector<__half> on_device(ConvolutionKind kind, ConvolutionTile tile) const {
    const int padded = (kSums + tile.step - 1) / tile.step * tile.step;
    std::vector<__half> packed(static_cast<std::size_t>(kPaddedColumns * padded),
                               __float2half(0.0F));
    for (int column = 0; column < kColumns; ++column)
      std::copy_n(weights_.begin() + column * kSums, kSums, packed.begin() + column * padded);
    const cuda::Stream stream;
    const cuda::DeviceBuffer<__half> input(input_.size());
    const cuda::DeviceBuffer<__half> weights(packed.size());
    const cuda::DeviceBuffer<float> bias(bias_.size());
    const cuda::DeviceBuffer<__half> output(static_cast<std::size_t>(kRows * kColumns));
    cuda::copy(input.span(), std::span<const __half>(input_), stream);
    cuda::copy(weights.span(), std::span<const __half>(packed), stream);
    cuda::copy(bias.span(), std::span<const float>(bias_), stream);
    cuda::fill(output.span(), 0xff, stream);
    ConvolutionArguments arguments{};
    arguments.input = input.data();
    arguments.weights = weights.data();
    arguments.bias = bias.data();
    arguments.output = output.data();
    arguments.rows = kRows;
    arguments.columns = kColumns;
    arguments.chunks = arguments.tap_chunks = kSums / 8;
    arguments.input_height = 1;
    arguments.input_width = arguments.row_width = kRows;
    arguments.input_pitch = kSums;
    arguments.output_pitch = kColumns;
    arguments.activation = graph::Activation::relu;
    prepare_convolution(kind, false, tile);
    launch_convolution(kind, false, tile, arguments, stream.view().get());
    std::vector<__half> result(static_cast<std::size_t>(kRows * kColumns));
    cuda::copy(std::span<__half>(result), output.span(), stream);
    stream.synchronize();
    return result;
  }

 private:
  std::vector<__half> input_;
  std::vector<__half> weights_;
  std::vector<float> bias_;
};

TEST(ConvolutionKernel, ComputesTheSameWithEveryTile) {
  const Product product;
  const std::vector<__half> first =
      product.on_device(ConvolutionKind::pointwise, {1, kTileColumns[0], kShortStep});
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column) {
      const double expected = product.expected(row, column);
      ASSERT_NEAR(__half2float(first[static_cast<std::size_t>(row * kColumns + column)]), expected,
                  1e-4 + expected * 5e-4)
          << row << "," << column;
    }
  const auto bits = [](const std::vector<__half>& halves) {
    std::vector<float> values;
    for (const __half value : halves) values.push_back(__half2float(value));
    return values;
  };
  for (const ConvolutionKind kind : {ConvolutionKind::pointwise, ConvolutionKind::window})
    for (const int rows : {1, 2})
      for (const int columns : kTileColumns)
        for (const int step : {kShortStep, kLongStep}) {
          if (kind == ConvolutionKind::window && step == kLongStep) continue;
          SCOPED_TRACE(testing::Message() << rows << " x " << columns << ", steps of " << step);
          EXPECT_EQ(bits(product.on_device(kind, {rows, columns, step})), bits(first));
        }
}

TEST(ConvolutionKernel, RefusesTilesWithoutAKernel) {
  const auto refused = [](ConvolutionKind kind, bool f32, ConvolutionTile tile) {
    test::expect_error(ErrorKind::internal,
                       "convolution: ", [&] { prepare_convolution(kind, f32, tile); });
  };
  refused(ConvolutionKind::pointwise, false, {1, 5, kShortStep});
  refused(ConvolutionKind::window, false, {1, 4, kLongStep});
  refused(ConvolutionKind::stem, true, {1, 4, kShortStep});
  refused(ConvolutionKind::pointwise, false, {3, 4, kShortStep});
}

}  // namespace
}  // namespace facepipe::detector::engine
