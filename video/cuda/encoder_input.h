// A finished picture -> what an encoder on the chip takes: planes for nvJPEG, or one of NVENC's
// surfaces.
#pragma once

#include <cstdint>

#include "core/copies.h"
#include "core/cuda/stream.h"
#include "core/frame.h"

namespace facepipe::video {

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

/// Semi-planar 4:2:0 in device memory, as large as the frame.
struct Surface {
  Plane luma;
  Plane chroma;
  int bytes_per_sample = 1;
};

/// Copies the samples of a semi-planar 4:2:0 frame; those of more than 8 bits that go to a surface
/// of one byte a sample are rounded, the range staying what it is (ITU-T H.273: of limited range
/// 2^(bits - 8) codes become one, of full range the last code becomes the last). Two operations;
/// nothing is waited for, Frame::ready neither. Errors: Error(internal) for another frame or one
/// with fewer bytes a sample than the surface; Error(device).
void enqueue_surface_copy(const Frame& frame, const Surface& to, cuda::StreamView stream,
                          CopyCounter& copies);

}  // namespace facepipe::video
