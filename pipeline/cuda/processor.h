// Finds and draws faces on a CUDA device, with a graph for each frame.
#pragma once

#include <memory>

#include "core/cuda/stream.h"
#include "core/device.h"
#include "overlay/overlay.h"
#include "pipeline/backend.h"
#include "pipeline/cuda/kept_graphs.h"
#include "pipeline/frame_processor.h"
#include "pipeline/job_options.h"

namespace facepipe::pipeline {

/// Returns how a job waits for the device. Several lanes need the cores, so their waits sleep.
[[nodiscard]] cuda::Event::Wait wait_of(const ProcessorSetup& setup);

/// Returns what is drawn on a job's pictures; nothing if no video is written or faces are hidden.
[[nodiscard]] overlay::OverlayStyle style_of(const JobOptions& options);

/// Returns whether drawn faces get ids.
[[nodiscard]] bool follows(const JobOptions& options);

/// Makes what works on the frames of a lane.
/// @param device  whose graphs these are, and the calling thread's
/// @param graphs  nullptr if nothing is looked for
/// Errors: device.
[[nodiscard]] std::unique_ptr<FrameProcessor> make_cuda_processor(const ProcessorSetup& setup,
                                                                  Device device,
                                                                  std::shared_ptr<GraphSet> graphs);

}  // namespace facepipe::pipeline
