// A finished picture -> a surface that an encoder on the chip keeps: the named copy on the device.
#pragma once

#include <cstddef>

#include "core/cuda/copies.h"
#include "core/cuda/stream.h"
#include "core/frame.h"

namespace facepipe {

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

}  // namespace facepipe
