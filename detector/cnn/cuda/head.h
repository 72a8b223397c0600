// Turns the network's outputs into candidates, on the device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/detections.h"
#include "core/cuda/stream.h"
#include "detector/cnn/cuda/head_arguments.h"
#include "detector/cnn/cuda/network.h"
#include "detector/cnn/model/model.h"
#include "detector/network_fit.h"

namespace facepipe::detector::engine {

/// Turns a network's last values into candidates with score > threshold.
class CandidateHead {
 public:
  virtual ~CandidateHead() = default;

  /// Returns the number of words of scratch memory that one detection needs.
  [[nodiscard]] virtual std::size_t scratch_words() const = 0;
  /// Returns the size of the head's own device memory, in bytes.
  [[nodiscard]] virtual std::size_t weight_bytes() const { return 0; }

  /// Writes the first to.capacity candidates. Sets *to.count to the number of all candidates.
  /// Throws Error(internal) if only one of the head and `to` has landmarks.
  virtual void enqueue(const std::byte* activations, cuda::DeviceSpan<std::uint32_t> scratch,
                       const cuda::DeviceDetections& to, cuda::StreamView stream) const = 0;

 protected:
  /// Throws Error(internal) if the scratch memory is too small, or if only one of the head and `to`
  /// has landmarks.
  void check(const cuda::DeviceSpan<std::uint32_t>& scratch, bool landmarks,
             const cuda::DeviceDetections& to) const;
};

/// Decodes as decode_head() does on the CPU (detector/cnn/model/head.h). The candidates and their
/// order are the same, up to the rounding of float arithmetic. The first kernel marks the cells
/// that hold a candidate and counts them. The second kernel computes each candidate's index and
/// writes the candidate there. So the result is the same each time. Immutable.
class HeadKernels : public CandidateHead {
 public:
  /// `outputs` are in the order of Model::outputs(), and all are floats. `source` is the model's
  /// file, for messages. Throws Error(device), naming the output, if an output has an unexpected
  /// shape. Throws Error(internal) for another number of outputs, or if there are more strides or
  /// more outputs of a stride than HeadArguments holds.
  HeadKernels(const HeadData& head, const NetworkFit& fit,
              const std::vector<NetworkOutput>& outputs, float score_threshold,
              const std::string& source);

  [[nodiscard]] std::size_t scratch_words() const override;

  void enqueue(const std::byte* activations, cuda::DeviceSpan<std::uint32_t> scratch,
               const cuda::DeviceDetections& to, cuda::StreamView stream) const override;

 private:
  [[nodiscard]] std::uint32_t cells_of(const Placement& map) const;
  void fill_levels(HeadArguments& a, const std::byte* activations) const;

  HeadData head_;
  NetworkFit fit_;
  float score_threshold_;
  std::vector<NetworkOutput> outputs_;
  std::uint32_t cells_ = 0;  ///< number of cells of all levels; a cell has at most one candidate
};

}  // namespace facepipe::detector::engine
