// Converts a finished picture to the input of an encoder on the device: planes for nvJPEG, or one
// of NVENC's surfaces.
#pragma once

#include <cstdint>

#include "core/copies.h"
#include "core/cuda/stream.h"
#include "core/frame.h"

namespace facepipe::video {

/// Refers to the planes Y, U and V in device memory.
struct JpegPlanes {
  std::uint8_t* planes[3] = {};
  std::int32_t strides[3] = {};  ///< distance between two rows, in bytes
};

/// Separates the samples of a semi-planar 4:2:0 frame into three planes. Limited range is stretched
/// to full range (ITU-R BT.601: luma 16..235, chroma 16..240, times 2^(bits - 8)), as in a
/// conversion to FFmpeg's yuvj420p. Deeper samples are rounded to 8 bits. The colour matrix doesn't
/// change. Launches one kernel. Doesn't wait, not even for Frame::ready.
void enqueue_jpeg_planes(const Frame& frame, const JpegPlanes& planes, cuda::StreamView stream);

/// Refers to a semi-planar 4:2:0 picture in device memory, as large as the frame.
struct Surface {
  Plane luma;
  Plane chroma;
  int bytes_per_sample = 1;
};

/// Copies the samples of a semi-planar 4:2:0 frame. If the surface has one byte a sample, samples
/// of more than 8 bits are rounded. Their range doesn't change (ITU-T H.273). In limited range,
/// 2^(bits - 8) codes become one code; in full range, the highest code of the frame becomes the
/// highest code of the surface. Enqueues two operations. Doesn't wait, not even for Frame::ready.
/// Errors: Error(internal) for another kind of frame, or for a frame with fewer bytes a sample than
/// the surface; Error(device).
void enqueue_surface_copy(const Frame& frame, const Surface& to, cuda::StreamView stream,
                          CopyCounter& copies);

}  // namespace facepipe::video
