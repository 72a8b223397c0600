// One picture size, one cascade, and everything that the variants need of them on a device.
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

/// Belongs to the device that was current at construction. Its parts are enqueued in this order:
/// upload, sums, scales, download. Each part that doesn't run on the host can be captured.
class DeviceScan {
 public:
  /// Where windows of whole scales find their sums.
  enum class Sums {
    as_they_are,
    decimated,  ///< every factor-th entry, so that neighbours lie side by side, as in OpenCV
  };

  /// Keeps `capacity` windows. Throws what paper_scales() and scaled() throw, and
  /// std::invalid_argument if scales to decimate aren't whole.
  DeviceScan(const detector::cascade::Cascade& cascade, Size picture, std::vector<Scale> scales,
             std::uint32_t capacity, Sums sums = Sums::as_they_are);

  [[nodiscard]] const std::vector<Scale>& scales() const { return scales_; }

  /// Returns the host's pinned memory for the grey picture, row by row without gaps.
  [[nodiscard]] std::span<std::uint8_t> picture() const { return host_picture_.span(); }
  void enqueue_upload(cuda::StreamView stream) const;

  /// Makes the integral image and forgets all windows found.
  void enqueue_sums(cuda::StreamView stream) const;
  /// Decimates the sums for one scale. They replace those of the scale before.
  void enqueue_decimation(std::size_t scale, cuda::StreamView stream) const;

  /// Finds the windows in some rows of blocks. `times` has one entry for each warp, or is null.
  void enqueue(Variant variant, const Part& part, cuda::StreamView stream,
               WarpTime* times = nullptr) const;

  /// Finds the windows of a whole scale by blocks of another shape.
  void enqueue(Variant variant, std::size_t scale, const LaunchShape& shape,
               cuda::StreamView stream) const;

  /// Copies the windows to pinned memory: their number, and as many as fit.
  void enqueue_download(cuda::StreamView stream) const;
  /// Returns the windows, sorted. Doesn't wait. Throws std::runtime_error if there was no room for
  /// all.
  [[nodiscard]] std::vector<FoundWindow> windows() const;

  [[nodiscard]] const ScaleLaunch& launch_of(std::size_t scale) const { return launches_[scale]; }

 private:
  Size size_;
  std::vector<Scale> scales_;
  Size window_;  ///< the cascade's
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
  std::vector<ScaleLaunch> launches_;  ///< for whole scales
};

/// What a graph does beside sums and scales.
enum class Copies { none, picture_and_windows };

/// Returns a graph of one frame: all parts by one variant.
[[nodiscard]] cuda::Graph graph_of(const DeviceScan& scan, Variant variant,
                                   const std::vector<Part>& parts, Copies copies,
                                   cuda::StreamView stream);

}  // namespace facepipe::viola_jones
