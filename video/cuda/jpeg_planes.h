// NV12, P010 or P016 in device memory -> the planes of 8 bits and full range that JPEG holds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cuda/stream.h"
#include "core/frame.h"

namespace facepipe {

/// Planes Y, U, V in device memory.
struct JpegPlanes {
  std::uint8_t* planes[3] = {};
  std::int32_t strides[3] = {};  ///< bytes
};

/// Takes the samples of a semi-planar 4:2:0 frame apart. Limited range is stretched to the full one
/// (ITU-R BT.601: luma 16..235, chroma 16..240, times 2^(bits - 8)), as a conversion to FFmpeg's
/// yuvj420p does; deeper samples are rounded to 8 bits. The matrix stays. One kernel; nothing is
/// waited for, Frame::ready neither.
void enqueue_jpeg_planes(const Frame& frame, const JpegPlanes& planes, cuda::StreamView stream);

}  // namespace facepipe
