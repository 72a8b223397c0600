// One picture size, one cascade, and all that the variants need of them on a device.
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

/// The current device's at construction. Its parts are enqueued in this order: upload, sums,
/// scales, download; each but the host's own can be captured.
class DeviceScan {
 public:
  /// Where windows of whole scales find their sums.
  enum class Sums {
    as_they_are,
    decimated,  ///< every factor-th entry, so that neighbours lie side by side, as in OpenCV
  };

  /// Keeps `capacity` windows. Throws std::invalid_argument as paper_scales() and scaled(), and for
  /// scales to decimate that are not whole.
  DeviceScan(const detector::cascade::Cascade& cascade, Size picture, std::vector<Scale> scales,
             std::uint32_t capacity, Sums sums = Sums::as_they_are);

  [[nodiscard]] const std::vector<Scale>& scales() const { return scales_; }

  /// Pinned memory of the host for the grey picture, row by row without gaps.
  [[nodiscard]] std::span<std::uint8_t> picture() const { return host_picture_.span(); }
  void enqueue_upload(cuda::StreamView stream) const;

  /// Makes the integral image, and forgets all windows found.
  void enqueue_sums(cuda::StreamView stream) const;
  /// Where sums are decimated: those of one scale, which take the place of another one's.
  void enqueue_decimation(std::size_t scale, cuda::StreamView stream) const;

  /// Finds the windows of some rows of blocks. `times`: one for each warp, or null.
  void enqueue(Variant variant, const Part& part, cuda::StreamView stream,
               WarpTime* times = nullptr) const;

  /// The windows to pinned memory: their number, and as many as there is room for.
  void enqueue_download(cuda::StreamView stream) const;
  /// Sorted. Waits for nothing. Throws std::runtime_error where there was no room for all.
  [[nodiscard]] std::vector<FoundWindow> windows() const;

  [[nodiscard]] const ScaleLaunch& launch_of(std::size_t scale) const { return launches_[scale]; }

 private:
  Size size_;
  std::vector<Scale> scales_;
  Size window_;  ///< of the cascade
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
  cuda::DeviceBuffer<ScaledStump> stumps_;  ///< of all scales
  cuda::DeviceBuffer<FoundWindow> windows_;
  cuda::DeviceBuffer<std::uint32_t> count_;
  std::vector<ScaleLaunch> launches_;  ///< of whole scales
};

/// What a graph does beside sums and scales.
enum class Copies { none, picture_and_windows };

/// One frame: all parts by one variant.
[[nodiscard]] cuda::Graph graph_of(const DeviceScan& scan, Variant variant,
                                   const std::vector<Part>& parts, Copies copies,
                                   cuda::StreamView stream);

}  // namespace facepipe::viola_jones
