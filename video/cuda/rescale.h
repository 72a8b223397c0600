// Pictures of one size and layout -> another, on the device.
#pragma once

#include "core/cuda/stream.h"
#include "core/frame.h"

namespace facepipe::video {

/// Semi-planar 4:2:0 in device memory that is written to.
struct RescaleTarget {
  Plane luma;
  Plane chroma;
  Size size;
  PixelFormat format;
  bool full_range = false;
};

/// Floats of scratch memory that enqueue_rescale() needs for such pictures.
[[nodiscard]] std::size_t rescale_scratch(Size from, Size to);

/// Writes the frame's picture to `to`, as FFmpeg's swscale does with its flag bicubic: one axis
/// after the other, by the cubic of Mitchell and Netravali (1988) with B = 0 and C = 0.6, which is
/// stretched over more samples where the picture becomes smaller; each plane from its own edge to
/// its own edge, chroma between its luma samples, and the outermost samples repeated beyond the
/// edges. Samples change from the frame's bits and range to the target's (ITU-T H.273); an axis
/// that keeps its size keeps its samples. Interlaced pictures are taken as progressive ones.
///
/// Four kernels; nothing is allocated or waited for, Frame::ready neither. Frame and target must
/// not overlap, and live, like `scratch`, until that has happened.
/// Errors: Error(internal) for a frame or a target that isn't semi-planar 4:2:0; Error(device).
void enqueue_rescale(const Frame& frame, const RescaleTarget& to, float* scratch,
                     cuda::StreamView stream);

/// Makes all of `to` black: two kernels, in the order of the stream. Errors: as enqueue_rescale().
void enqueue_black(const RescaleTarget& to, cuda::StreamView stream);

}  // namespace facepipe::video
