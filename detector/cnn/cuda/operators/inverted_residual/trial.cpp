#include "detector/cnn/cuda/operators/inverted_residual/trial.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "core/cuda/launch.h"
#include "detector/cnn/cuda/operators/inverted_residual/weights.h"
#include "detector/cnn/cuda/operators/operator.h"

namespace facepipe::detector::engine {
namespace {

constexpr std::size_t kTimes = 3;

std::size_t halves_of(const graph::MapShape& shape) {
  return static_cast<std::size_t>(shape.height) * static_cast<std::size_t>(shape.width) *
         static_cast<std::size_t>(padded(shape.channels));
}

graph::MapShape output_of(const graph::InvertedResidual& op, const graph::MapShape& input) {
  const int stride = op.depthwise.window.stride_y;
  return {op.project.outputs, (input.height - 1) / stride + 1, (input.width - 1) / stride + 1};
}

/// Returns values that differ from pixel to pixel and from channel to channel.
std::vector<__half> numbers(std::size_t count) {
  constexpr std::size_t kPeriod = 61;
  std::vector<__half> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = __float2half_rn(static_cast<float>(i % kPeriod) / kPeriod - 0.5F);
  return values;
}

const uint4* chunks_of(const cuda::DeviceBuffer<__half>& halves) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the kernel reads chunks
  return reinterpret_cast<const uint4*>(halves.data());
}

}  // namespace

InvertedResidualTrial::InvertedResidualTrial(const graph::InvertedResidual& op,
                                             const graph::MapShape& input, bool residual,
                                             cuda::StreamView stream)
    : shape_(shape_of(op, output_of(op, input))),
      programmatic_(current_chip().compute_capability >= cuda::kOldestWithClusters),
      arguments_(
          arguments_of(op, shape_, input, padded(op.expand.inputs), padded(op.project.outputs))),
      input_(cuda::uploaded(numbers(halves_of(input)), stream)),
      output_(halves_of(output_of(op, input))) {
  const InvertedResidualWeights weights = pack_weights(op, shape_);
  weights_[0] = cuda::uploaded(weights.expand, stream);
  weights_[1] = cuda::uploaded(weights.depthwise, stream);
  weights_[2] = cuda::uploaded(weights.project, stream);
  bias_ = cuda::uploaded(weights.bias, stream);
  arguments_.input = input_.data();
  arguments_.residual.values = residual ? input_.data() : nullptr;
  arguments_.residual.pitch = arguments_.input_pitch;
  arguments_.output = output_.data();
  arguments_.weights.expand = chunks_of(weights_[0]);
  arguments_.weights.depthwise = chunks_of(weights_[1]);
  arguments_.weights.project = chunks_of(weights_[2]);
  arguments_.weights.bias = bias_.data();
}

void InvertedResidualTrial::forget_output(cuda::StreamView stream) {
  cuda::fill(output_.span(), 0xff, stream);
}

float InvertedResidualTrial::time(const InvertedResidualTile& tile, int launches,
                                  cuda::StreamView stream) {
  if (prepare_inverted_residual(shape_, tile) == 0) return std::numeric_limits<float>::infinity();
  const auto launch = [&] {
    launch_inverted_residual(shape_, tile, arguments_, programmatic_, stream);
  };
  const cuda::Event begin(cuda::Event::Timing::on);
  const cuda::Event end(cuda::Event::Timing::on);
  std::array<float, kTimes> times{};
  launch();
  for (float& time : times) {
    launch();  // keeps the device busy while further launches are enqueued
    begin.record(stream);
    for (int i = 0; i < launches; ++i) launch();
    end.record(stream);
    end.synchronize();
    time = cuda::milliseconds_between(begin, end);
  }
  return 1000 * *std::min_element(times.begin(), times.end()) / static_cast<float>(launches);
}

}  // namespace facepipe::detector::engine
