// The small luma in which motion is looked for, made where the picture is.
#pragma once

#include <cstdint>

#include "core/copies.h"
#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "core/frame.h"
#include "track/luma.h"

namespace facepipe {

/// make_luma() of pictures in device memory: the same samples, of which a quarter of the picture's
/// bytes at most comes to the host. Used by one thread; bound to the device current at
/// construction.
class SmallLuma {
 public:
  /// For pictures of `stored` size. Errors: Error(device).
  SmallLuma(Size stored, CopyCounter& copies);

  /// Waits for it. Errors: Error(device); Error(internal) for a frame of another size.
  [[nodiscard]] Luma of(const Frame& frame, cuda::StreamView stream);

 private:
  Size stored_;
  CopyCounter& copies_;
  cuda::DeviceBuffer<std::uint8_t> device_;
  cuda::PinnedBuffer<std::uint8_t> host_;
  cuda::Event there_{cuda::Event::Timing::off, cuda::Event::Wait::sleeping};
};

}  // namespace facepipe
