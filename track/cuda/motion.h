// Finds motion between pictures in device memory.
#pragma once

#include <memory>

#include "core/copies.h"
#include "core/cuda/stream.h"
#include "core/frame.h"
#include "track/motion.h"

namespace facepipe::track {

/// Makes an estimator for semi-planar pictures of one upright size. Their small lumas and pyramids
/// stay on the device, in memory that is used again. About 30 KB a frame (at 1080p) are copied to
/// the host: counts of grey levels, points, and the results for points (CopyKind::motion). CUDA's
/// current device must be the frames' device. `copies` must outlive the estimator; pictures may
/// outlive it.
/// @param wait  how the host waits for the device, twice a frame or more
/// Errors: Error(device); Error(internal) for a frame that is not such a picture.
[[nodiscard]] std::unique_ptr<MotionEstimator> make_cuda_motion_estimator(Size upright,
                                                                          cuda::Event::Wait wait,
                                                                          CopyCounter& copies);

}  // namespace facepipe::track
