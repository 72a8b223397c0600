// Turns a finished picture into the input of an encoder on the chip: planes for nvJPEG, or one of
// NVENC's surfaces.
#pragma once

#include <cstdint>

#include "core/copies.h"
#include "core/cuda/stream.h"
#include "core/frame.h"

namespace facepipe::video {

/// The planes Y, U and V in device memory.
struct JpegPlanes {
  std::uint8_t* planes[3] = {};
  std::int32_t strides[3] = {};  ///< bytes
};

/// Separates the samples of a semi-planar 4:2:0 frame into three planes. Limited range is stretched
/// to full range (ITU-R BT.601: luma 16..235, chroma 16..240, times 2^(bits - 8)), as in a
/// conversion to FFmpeg's yuvj420p. Deeper samples are rounded to 8 bits. The matrix stays.
/// Launches one kernel, and waits for nothing, not even Frame::ready.
void enqueue_jpeg_planes(const Frame& frame, const JpegPlanes& planes, cuda::StreamView stream);

/// A semi-planar 4:2:0 picture in device memory, as large as the frame.
struct Surface {
  Plane luma;
  Plane chroma;
  int bytes_per_sample = 1;
};

/// Copies the samples of a semi-planar 4:2:0 frame. Samples of more than 8 bits are rounded if the
/// surface has one byte a sample. Their range stays (ITU-T H.273). For limited range, 2^(bits - 8)
/// codes become one; for full range, the last code becomes the last. Enqueues two operations, and
/// waits for nothing, not even Frame::ready. Errors: Error(internal) for another kind of frame, or
/// for one with fewer bytes a sample than the surface; Error(device).
void enqueue_surface_copy(const Frame& frame, const Surface& to, cuda::StreamView stream,
                          CopyCounter& copies);

}  // namespace facepipe::video
