// Suppression by the papers' kernels as they are printed.
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

/// Holds D, B and V. What is printed is kept, also where it is odd: see nms/cuda/matrix_steps.cuh,
/// which says what our own kernels do instead. The papers say in one place that D_max^2 threads
/// build the matrix, and in another that there is a block for each detection; so the number of rows
/// is an argument.
class PrintedNms {
 public:
  PrintedNms(std::uint32_t d_max, float threshold);

  /// Writes the candidates to D and zeroes the rest. Waits. Throws std::invalid_argument if there
  /// are more than d_max.
  void upload(std::span<const Box> boxes, std::span<const float> scores, cuda::StreamView stream);

  /// Sets all d_max^2 cells to 1, as must be done before each map.
  void enqueue_memset(cuda::StreamView stream);
  void enqueue_map(std::uint32_t rows, std::uint32_t block_side, MapShape shape,
                   cuda::StreamView stream);
  /// Throws std::invalid_argument if a block can't have D_max / k threads.
  void enqueue_reduce(std::uint32_t rows, std::uint32_t k, ReduceStep step,
                      std::uint32_t multiprocessors, cuda::StreamView stream);

  /// Returns the candidates that V keeps, by ascending index. Waits.
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
