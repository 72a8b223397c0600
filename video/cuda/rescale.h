// Scales pictures from one size and layout to another, on the device.
#pragma once

#include "core/cuda/stream.h"
#include "core/frame.h"

namespace facepipe::video {

/// A semi-planar 4:2:0 picture in device memory, into which is written.
struct RescaleTarget {
  Plane luma;
  Plane chroma;
  Size size;
  PixelFormat format;
  bool full_range = false;
};

/// Returns how many floats of scratch memory enqueue_rescale() needs for such pictures.
[[nodiscard]] std::size_t rescale_scratch(Size from, Size to);

/// Writes the frame's picture to `to`, as FFmpeg's swscale does with its flag bicubic. It scales
/// one axis after the other with the cubic of Mitchell and Netravali (1988), B = 0 and C = 0.6. The
/// cubic is stretched over more samples if the picture becomes smaller. Each plane is scaled from
/// its own edge to its own edge. Chroma lies between its luma samples. The outermost samples are
/// repeated beyond the edges. Samples change from the frame's bits and range to the target's (ITU-T
/// H.273). An axis that keeps its size keeps its samples. Interlaced pictures are handled as
/// progressive ones.
///
/// Launches four kernels, allocates nothing, and waits for nothing, not even Frame::ready. Frame
/// and target must not overlap. Frame, target and `scratch` must live until the kernels have ended.
/// Errors: Error(internal) for a frame or a target that isn't semi-planar 4:2:0; Error(device).
void enqueue_rescale(const Frame& frame, const RescaleTarget& to, float* scratch,
                     cuda::StreamView stream);

/// Makes all of `to` black by two kernels, in the order of the stream. Errors: as
/// enqueue_rescale().
void enqueue_black(const RescaleTarget& to, cuda::StreamView stream);

}  // namespace facepipe::video
