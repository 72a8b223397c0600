// Heads turn the network's outputs into candidates, on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/detections.h"
#include "core/cuda/stream.h"
#include "detector/cnn/cuda/network.h"
#include "detector/cnn/model/model.h"
#include "detector/network_fit.h"

namespace facepipe::detector::engine {

/// Turns a network's last values into candidates with score > threshold.
class CandidateHead {
 public:
  virtual ~CandidateHead() = default;

  /// Number of words of scratch memory that one detection needs.
  [[nodiscard]] virtual std::size_t scratch_words() const = 0;
  /// Device memory of the head itself, in bytes.
  [[nodiscard]] virtual std::size_t weight_bytes() const { return 0; }

  /// Writes the first to.capacity candidates. Sets *to.count to the number of all candidates.
  virtual void enqueue(const std::byte* activations, cuda::DeviceSpan<std::uint32_t> scratch,
                       const cuda::DeviceDetections& to, cuda::StreamView stream) const = 0;
};

/// Decodes as Head does on the CPU (detector/cnn/model/head.h). The candidates and their order are
/// the same, up to the rounding of float arithmetic. It has two kernels. The first marks the cells
/// that hold a candidate and counts them. The second gives each candidate its place and writes it.
/// So the result is the same each time. Immutable.
class HeadKernels : public CandidateHead {
 public:
  /// `outputs` are in the order of Model::outputs(), and all are floats; those of one stride follow
  /// each other. Errors: device, naming the output, for one of another shape; internal for more
  /// outputs of a stride, or more strides, than HeadArguments holds.
  HeadKernels(const Model& model, const NetworkFit& fit, const std::vector<NetworkOutput>& outputs,
              float score_threshold);

  [[nodiscard]] std::size_t scratch_words() const override;

  /// Number of all cells. Each holds at most one candidate.
  [[nodiscard]] std::uint32_t cells() const { return cells_; }

  void enqueue(const std::byte* activations, cuda::DeviceSpan<std::uint32_t> scratch,
               const cuda::DeviceDetections& to, cuda::StreamView stream) const override;

 private:
  /// Outputs of one stride, which follow each other.
  struct LevelOutputs {
    std::size_t first = 0;
    std::size_t count = 0;
    int stride = 0;
  };

  ModelKind kind_;
  NetworkFit fit_;
  float score_threshold_;
  std::vector<NetworkOutput> outputs_;
  std::vector<LevelOutputs> levels_;
  std::uint32_t cells_ = 0;
};

}  // namespace facepipe::detector::engine
