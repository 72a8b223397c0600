// Copies a test's frame to device memory, together with its descriptor.
#pragma once

#include <vector>

#include "core/color.h"
#include "core/cuda/buffer.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "core/frame.h"
#include "detector/cnn/cuda/preprocess.h"

namespace facepipe::test {

/// Holds a copy of a semi-planar frame in device memory, with its row padding.
class DescribedFrame {
 public:
  DescribedFrame(const Frame& frame, const cuda::Stream& stream)
      : luma_(bytes_of_plane(frame, 0)), chroma_(bytes_of_plane(frame, 1)), descriptor_(1) {
    host_.luma = luma_.data();
    host_.chroma = chroma_.data();
    host_.luma_stride = static_cast<std::int32_t>(frame.planes[0].stride);
    host_.chroma_stride = static_cast<std::int32_t>(frame.planes[1].stride);
    fill_to_rgb(host_, frame.color, frame.format, frame.size);
    cuda::copy(luma_.span(), std::span<const std::byte>(frame.planes[0].data, luma_.size()),
               stream);
    cuda::copy(chroma_.span(), std::span<const std::byte>(frame.planes[1].data, chroma_.size()),
               stream);
    cuda::copy(descriptor_.span(), std::span<const FrameDescriptor>(&host_, 1), stream);
    stream.synchronize();
  }

  [[nodiscard]] const FrameDescriptor* descriptor() const { return descriptor_.data(); }
  /// Returns the descriptor in host memory. Its addresses are in device memory.
  [[nodiscard]] const FrameDescriptor& host_descriptor() const { return host_; }
  /// Returns the luma samples row by row, with padding.
  [[nodiscard]] cuda::DeviceSpan<std::byte> luma() const { return luma_.span(); }

 private:
  static std::size_t bytes_of_plane(const Frame& frame, std::size_t plane) {
    const int rows = plane == 0 ? frame.size.height : frame.chroma_size().height;
    return static_cast<std::size_t>(frame.planes[plane].stride) * static_cast<std::size_t>(rows);
  }

  FrameDescriptor host_;
  cuda::DeviceBuffer<std::byte> luma_;
  cuda::DeviceBuffer<std::byte> chroma_;
  cuda::DeviceBuffer<FrameDescriptor> descriptor_;
};

inline StreamLayout layout_of(const Frame& frame) {
  return {frame.size, frame.format, frame.orientation};
}

}  // namespace facepipe::test
