// Frames in device memory, as kernels get them.
#pragma once

#include <memory>

#include "core/cuda/buffer.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "core/frame.h"
#include "pipeline/cuda/copies.h"

namespace facepipe {

/// Throws Error(internal) for a frame that isn't semi-planar 4:2:0 on CUDA.
void expect_device_picture(const Frame& frame);

/// Fills in where the planes are, the overlay's inks and whether the picture is interlaced; to_rgb
/// stays as it is. Errors: as expect_device_picture().
void describe_picture(const Frame& frame, FrameDescriptor& descriptor);

/// All that doesn't say where and how the samples lie: colour, orientation, stamps and so on.
void take_properties(const Frame& from, Frame& to);

/// The event that frame.ready names from now on; frame.owner holds it.
void attach_ready(Frame& frame, std::shared_ptr<const cuda::Event> event);

/// Later work of `stream` waits until the frame's samples are there (Frame::ready).
void hold_back_until_ready(const Frame& frame, cuda::StreamView stream);

/// The descriptor of one frame in flight, on its way to the device: host() is filled in, then the
/// graph runs that enqueue() was recorded in; not again before that run has ended.
class DescriptorUpload {
 public:
  explicit DescriptorUpload(CopyCounter& copies);

  [[nodiscard]] FrameDescriptor& host() { return *host_.data(); }
  [[nodiscard]] const FrameDescriptor* device() const { return device_.data(); }
  /// Pinned to device memory; capture-safe.
  void enqueue(cuda::StreamView stream) const;
  /// To be called for each run of what enqueue() was recorded in.
  void count() { copies_.add(CopyKind::descriptor, sizeof(FrameDescriptor)); }

 private:
  CopyCounter& copies_;
  cuda::PinnedBuffer<FrameDescriptor> host_;
  cuda::DeviceBuffer<FrameDescriptor> device_;
};

}  // namespace facepipe
