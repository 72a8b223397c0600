// Computes candidates from the last two maps of a feature pyramid, with two kernels. The first
// kernel computes the pyramid's last step, the head's 3x3 and 1x1 convolutions, and the threshold
// of the scores. The second kernel writes the candidates in raster order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/cuda/buffer.h"
#include "detector/cnn/cuda/head.h"
#include "detector/cnn/cuda/operators/pyramid/pyramid.h"
#include "detector/cnn/model/graph/fuse_pyramid.h"

namespace facepipe::detector::engine {

/// Works like HeadKernels, for CenterFace's head, if graph::cut_head() has removed this head from
/// the graph. The network's outputs for a cell are written to memory only if the score passes the
/// threshold. Immutable.
class PyramidHead : public CandidateHead {
 public:
  /// Returns whether there are kernels for this head.
  [[nodiscard]] static bool fits(const Model& model, const graph::HeadTail& tail);

  /// `coarse` and `fine` are the placements of the tail's inputs. The constructor waits for the
  /// upload of the weights. Throws Error(device) if CUDA fails, and Error(internal) if fits() is
  /// false.
  PyramidHead(const Model& model, const NetworkFit& fit, const graph::HeadTail& tail,
              const Placement& coarse, const Placement& fine, float score_threshold);

  [[nodiscard]] std::size_t scratch_words() const override;
  [[nodiscard]] std::size_t weight_bytes() const override { return weights_.size(); }
  void enqueue(const std::byte* activations, cuda::DeviceSpan<std::uint32_t> scratch,
               const cuda::DeviceDetections& to, cuda::StreamView stream) const override;

 private:
  /// `channels` are the 1x1 convolution's channels, in the order in which the head reads them.
  void pack(const graph::HeadTail& tail, const std::vector<int>& channels, WeightPacker& packer);

  HeadArguments head_;  ///< all arguments except the addresses, which differ between detections
  Placement coarse_;
  Placement fine_;
  int tiles_;
  cuda::Overlap overlap_ = cuda::Overlap::none;
  int warps_;  ///< number of warps of a thread block
  std::unique_ptr<PyramidWeights> step_;
  std::size_t window_ = 0;
  std::size_t window_bias_ = 0;
  std::size_t outputs_ = 0;
  std::size_t outputs_bias_ = 0;
  cuda::DeviceBuffer<std::byte> weights_;
};

}  // namespace facepipe::detector::engine
