// Suppression with the papers' kernels as they are printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "core/geometry.h"
#include "experiments/programs/nms_papers/printed_kernels.h"

namespace facepipe::nms_papers {

/// Holds D, B and V. This class does what is printed, even where that is odd.
/// nms/cuda/matrix_steps.cuh says what our own kernels do differently. In one place, the papers say
/// that D_max^2 threads build the matrix; in another, that there is a block for each detection. So
/// the number of rows is an argument.
class PrintedNms {
 public:
  PrintedNms(std::uint32_t d_max, float threshold);

  /// Writes the candidates to D, sets the rest of D to 0, and waits for the stream. Throws
  /// std::invalid_argument if there are more than d_max candidates.
  void upload(std::span<const Box> boxes, std::span<const float> scores, cuda::StreamView stream);

  /// Sets all d_max^2 cells to 1. This must be done before each map.
  void enqueue_memset(cuda::StreamView stream);
  void enqueue_map(std::uint32_t rows, std::uint32_t block_side, MapShape shape,
                   cuda::StreamView stream);
  /// Throws std::invalid_argument if a block can't have D_max / k threads.
  void enqueue_reduce(std::uint32_t rows, std::uint32_t k, ReduceStep step,
                      std::uint32_t multiprocessors, cuda::StreamView stream);

  /// Waits for the stream. Returns the indices of the candidates that V keeps, in ascending order.
  [[nodiscard]] std::vector<std::uint32_t> kept(cuda::StreamView stream) const;

  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint32_t d_max() const noexcept { return d_max_; }

 private:
  [[nodiscard]] PrintedMatrix matrix() const;

  std::uint32_t d_max_;
  std::uint32_t size_ = 0;
  float threshold_;
  cuda::DeviceBuffer<PrintedDetection> detections_;
  cuda::DeviceBuffer<std::uint8_t> cells_;
  cuda::DeviceBuffer<std::uint8_t> survives_;
};

}  // namespace facepipe::nms_papers
