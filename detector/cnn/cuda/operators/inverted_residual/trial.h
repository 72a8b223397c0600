// Measures how long the kernel of an inverted residual takes with each tile. A tile says how the
// work is divided among thread blocks. The measurement has its own input, output and weights.
#pragma once

#include <cstddef>
#include <span>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "detector/cnn/cuda/operators/inverted_residual/inverted_residual.h"
#include "detector/cnn/cuda/operators/inverted_residual/tiles.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

/// Belongs to the device that was current at construction. Not thread-safe.
class InvertedResidualTrial {
 public:
  /// Allocates input, output and weights, and waits for the upload. Input values are within +-0.5.
  InvertedResidualTrial(const graph::InvertedResidual& op, const graph::MapShape& input,
                        bool residual, cuda::StreamView stream);

  [[nodiscard]] const InvertedResidualShape& shape() const { return shape_; }
  [[nodiscard]] cuda::DeviceSpan<const __half> input() const { return input_.span(); }
  [[nodiscard]] cuda::DeviceSpan<const __half> output() const { return output_.span(); }

  /// Fills the output with NaN.
  void forget_output(cuda::StreamView stream);

  /// Returns the time of one launch in microseconds: the mean of `launches` successive launches.
  /// Returns infinity if the device can't run the tile. Waits for the stream.
  [[nodiscard]] float time(const InvertedResidualTile& tile, int launches, cuda::StreamView stream);

 private:
  InvertedResidualShape shape_;
  bool programmatic_;
  InvertedResidualArguments arguments_;
  cuda::DeviceBuffer<__half> input_;
  cuda::DeviceBuffer<__half> output_;
  cuda::DeviceBuffer<__half> weights_[3];
  cuda::DeviceBuffer<float> bias_;
};

}  // namespace facepipe::detector::engine
