// Frames in device memory, as kernels get them.
#pragma once

#include <memory>

#include "core/cuda/buffer.h"
#include "core/cuda/copies.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "core/frame.h"

namespace facepipe {

/// Throws Error(internal) for a frame that isn't semi-planar 4:2:0 on CUDA.
void expect_device_picture(const Frame& frame);

/// The event that frame.ready names from now on; frame.owner holds it.
void attach_ready(Frame& frame, std::shared_ptr<const cuda::Event> event);

/// Later work of `stream` waits until the frame's samples are there (Frame::ready).
void hold_back_until_ready(const Frame& frame, cuda::StreamView stream);

}  // namespace facepipe
