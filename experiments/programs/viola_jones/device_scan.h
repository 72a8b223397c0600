// Holds all data that the variants need on a device for one picture size and one cascade.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/graph.h"
#include "core/cuda/stream.h"
#include "experiments/programs/viola_jones/kernels.h"
#include "experiments/programs/viola_jones/scales.h"

namespace facepipe::viola_jones {

/// Belongs to the device that was current at construction. Enqueue the steps in this order: upload,
/// sums, scales, download. All functions that enqueue can be captured.
class DeviceScan {
 public:
  /// Says in which array windows of whole scales read their sums.
  enum class Sums {
    as_they_are,
    decimated,  ///< every factor-th entry, so that neighbours are adjacent in memory, as in
                ///< OpenCV
  };

  /// Has room for `capacity` windows. Throws what paper_scales() and scaled() throw. Throws
  /// std::invalid_argument if `sums` is decimated and a scale isn't a whole number.
  DeviceScan(const detector::cascade::Cascade& cascade, Size picture, std::vector<Scale> scales,
             std::uint32_t capacity, Sums sums = Sums::as_they_are);

  [[nodiscard]] const std::vector<Scale>& scales() const { return scales_; }

  /// Returns the host's pinned memory for the grey picture, row by row without gaps.
  [[nodiscard]] std::span<std::uint8_t> picture() const { return host_picture_.span(); }
  void enqueue_upload(cuda::StreamView stream) const;

  /// Computes the integral image, and clears the list of found windows.
  void enqueue_sums(cuda::StreamView stream) const;
  /// Decimates the sums for one scale. They overwrite those of the scale before.
  void enqueue_decimation(std::size_t scale, cuda::StreamView stream) const;

  /// Finds the windows in some rows of blocks. `times` has an element for each warp, or is null.
  void enqueue(Variant variant, const Part& part, cuda::StreamView stream,
               WarpTime* times = nullptr) const;

  /// Finds the windows of a whole scale with blocks of another shape.
  void enqueue(Variant variant, std::size_t scale, const LaunchShape& shape,
               cuda::StreamView stream) const;

  /// Copies the number of windows, and as many windows as there is room for, to pinned memory.
  void enqueue_download(cuda::StreamView stream) const;
  /// Returns the windows, sorted. Doesn't wait. Throws std::runtime_error if there wasn't room for
  /// all windows.
  [[nodiscard]] std::vector<FoundWindow> windows() const;

  [[nodiscard]] const ScaleLaunch& launch_of(std::size_t scale) const { return launches_[scale]; }

 private:
  Size size_;
  std::vector<Scale> scales_;
  Size window_;  ///< window of the cascade
  bool decimated_;
  std::uint32_t capacity_;
  cuda::PinnedBuffer<std::uint8_t> host_picture_;
  cuda::PinnedBuffer<FoundWindow> host_windows_;
  cuda::PinnedBuffer<std::uint32_t> host_count_;
  cuda::DeviceBuffer<std::uint8_t> picture_;
  cuda::DeviceBuffer<std::uint32_t> sums_;
  cuda::DeviceBuffer<std::uint64_t> squares_;
  cuda::DeviceBuffer<std::uint32_t> decimated_sums_;
  cuda::DeviceBuffer<std::uint64_t> decimated_squares_;
  cuda::DeviceBuffer<ScaledStump> stumps_;  ///< stumps of all scales
  cuda::DeviceBuffer<FoundWindow> windows_;
  cuda::DeviceBuffer<std::uint32_t> count_;
  std::vector<ScaleLaunch> launches_;  ///< launches of whole scales
};

/// Says which copies a graph contains besides sums and scales.
enum class Copies { none, picture_and_windows };

/// Returns a graph for one frame, which processes all `parts` with one variant.
[[nodiscard]] cuda::Graph graph_of(const DeviceScan& scan, Variant variant,
                                   const std::vector<Part>& parts, Copies copies,
                                   cuda::StreamView stream);

}  // namespace facepipe::viola_jones
