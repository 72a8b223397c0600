// Fills in a frame's descriptor and brings it to the device. The kernels of a captured graph read
// all data of the current frame from the descriptor.
#pragma once

#include "core/copies.h"
#include "core/cuda/buffer.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "core/frame.h"

namespace facepipe::pipeline {

/// Fills in the addresses of the planes, the overlay's colours, and whether the picture is
/// interlaced. Doesn't change the fields that fill_to_rgb() sets. Errors: as
/// expect_device_picture().
void describe_picture(const Frame& frame, FrameDescriptor& descriptor);

/// Holds the descriptor of one frame in flight. The graph in which enqueue() is recorded copies the
/// descriptor to the device. Fill in host() before each run of the graph, and don't change it until
/// the run has ended.
class DescriptorUpload {
 public:
  DescriptorUpload();

  [[nodiscard]] FrameDescriptor& host() { return *host_.data(); }
  [[nodiscard]] const FrameDescriptor* device() const { return device_.data(); }
  /// Enqueues the copy to device memory. Can be captured.
  void enqueue(cuda::StreamView stream) const;
  /// Counts one copy. Must be called for each run of the graph.
  static void count(CopyCounter& copies) {
    copies.add(CopyKind::descriptor, sizeof(FrameDescriptor));
  }

 private:
  cuda::PinnedBuffer<FrameDescriptor> host_;
  cuda::DeviceBuffer<FrameDescriptor> device_;
};

}  // namespace facepipe::pipeline
