// A frame's descriptor, from which the kernels of its graph know it.
#pragma once

#include "core/copies.h"
#include "core/cuda/buffer.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "core/frame.h"

namespace facepipe::pipeline {

/// Fills in where the planes are, the overlay's colours and whether the picture is interlaced;
/// what fill_to_rgb() sets stays as it is. Errors: as expect_device_picture().
void describe_picture(const Frame& frame, FrameDescriptor& descriptor);

/// The descriptor of one frame in flight, on its way to the device: host() is filled in, then the
/// graph runs that enqueue() was recorded in; not again before that run has ended.
class DescriptorUpload {
 public:
  DescriptorUpload();

  [[nodiscard]] FrameDescriptor& host() { return *host_.data(); }
  [[nodiscard]] const FrameDescriptor* device() const { return device_.data(); }
  /// Pinned to device memory; capture-safe.
  void enqueue(cuda::StreamView stream) const;
  /// To be called for each run of what enqueue() was recorded in.
  static void count(CopyCounter& copies) {
    copies.add(CopyKind::descriptor, sizeof(FrameDescriptor));
  }

 private:
  cuda::PinnedBuffer<FrameDescriptor> host_;
  cuda::DeviceBuffer<FrameDescriptor> device_;
};

}  // namespace facepipe::pipeline
