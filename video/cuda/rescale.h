// Scales pictures from one size and layout to another, on the device.
#pragma once

#include "core/cuda/stream.h"
#include "core/frame.h"

namespace facepipe::video {

/// Refers to a semi-planar 4:2:0 picture in device memory, which gets the result.
struct RescaleTarget {
  Plane luma;
  Plane chroma;
  Size size;
  PixelFormat format;
  bool full_range = false;
};

/// Returns how many floats of scratch memory enqueue_rescale() needs for pictures of these sizes.
[[nodiscard]] std::size_t rescale_scratch(Size from, Size to);

/// Scales the frame's picture into `to`, as FFmpeg's swscale does with its flag bicubic. Scales one
/// axis after the other with the cubic of Mitchell and Netravali (1988), B = 0 and C = 0.6. If the
/// picture becomes smaller, the cubic is stretched over more samples. Each plane is scaled from
/// edge to edge, and chroma is treated as lying in the middle of its luma samples. Beyond the
/// edges, the outermost samples are repeated. Samples are converted from the frame's bits and range
/// to the target's (ITU-T H.273). An axis that keeps its size keeps its samples. Interlaced
/// pictures are treated like progressive pictures.
///
/// Launches four kernels, and allocates nothing. Doesn't wait, not even for Frame::ready. The frame
/// and the target must not overlap. The frame, the target and `scratch` must exist until the
/// kernels have ended. Errors: Error(internal) for a frame or a target that isn't semi-planar
/// 4:2:0; Error(device).
void enqueue_rescale(const Frame& frame, const RescaleTarget& to, float* scratch,
                     cuda::StreamView stream);

/// Makes all of `to` black by two kernels, which it enqueues on `stream`. Errors: as
/// enqueue_rescale().
void enqueue_black(const RescaleTarget& to, cuda::StreamView stream);

}  // namespace facepipe::video
