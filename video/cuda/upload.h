// Pictures that the CPU decoded, brought to the device: the named host-to-device copy.
#pragma once

#include <cstddef>

#include "core/cuda/buffer.h"
#include "core/cuda/copies.h"
#include "core/cuda/stream.h"
#include "core/frame.h"
#include "video/cuda/pool.h"
#include "video/cuda/staging.h"

namespace facepipe {

/// Planar YUV 4:2:0 in host memory -> NV12, P010 or P016 in device memory. Used by one thread; its
/// frames may outlive it.
class PictureUpload {
 public:
  /// @param size, bits  of all pictures; up to 8 bits become NV12, 10 P010, more P016
  /// @param frames      how many may be alive at once without more memory being allocated
  /// Errors: Error(device).
  PictureUpload(Size size, int bits, std::size_t frames, Device device, CopyCounter& copies);

  /// `frame` is one of the pipeline's (wrap()). Interleaves chroma into pinned memory and enqueues
  /// one copy on `stream`; nothing is waited for. The result has all of the frame's properties;
  /// Frame::ready tells when its samples are there. Errors: Error(internal) for a frame of another
  /// size or format.
  [[nodiscard]] Frame upload(const Frame& frame, cuda::StreamView stream);

 private:
  struct Slot {
    explicit Slot(std::size_t bytes) : host(bytes), device(bytes) {}
    cuda::PinnedBuffer<std::byte> host;
    cuda::DeviceBuffer<std::byte> device;
    cuda::Event copied;
  };
  void check(const Frame& frame) const;

  PictureLayout layout_;
  PixelFormat format_;
  Device device_;
  CopyCounter& copies_;
  Pool<Slot> slots_;
};

}  // namespace facepipe
