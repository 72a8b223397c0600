// Motion between pictures in device memory.
#pragma once

#include <memory>

#include "core/copies.h"
#include "core/cuda/stream.h"
#include "core/frame.h"
#include "track/motion.h"

namespace facepipe::track {

/// Of semi-planar pictures of one upright size. Their small lumas and pyramids stay on the device,
/// in memory that is used again; what comes to the host is counted as CopyKind::motion, some 30 KB
/// a frame at 1080p: counts of grey levels, points and where they went. CUDA's current device must
/// be the frames'; `copies` must outlive it, and pictures may.
/// @param wait  how the host waits for the device, twice a frame or more
/// Errors: Error(device); Error(internal) for a frame that is none of those.
[[nodiscard]] std::unique_ptr<MotionEstimator> make_cuda_motion_estimator(Size upright,
                                                                          cuda::Event::Wait wait,
                                                                          CopyCounter& copies);

}  // namespace facepipe::track
