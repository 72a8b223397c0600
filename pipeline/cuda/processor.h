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

/// Returns how a job's threads wait for the device. With several lanes they sleep, because lanes
/// need the cores.
[[nodiscard]] cuda::Event::Wait wait_of(const ProcessorSetup& setup);

/// Returns what is drawn on a job's pictures; nothing if no video is written or faces are hidden.
[[nodiscard]] overlay::OverlayStyle style_of(const JobOptions& options);

/// Returns whether drawn faces get ids.
[[nodiscard]] bool follows(const JobOptions& options);

/// Makes the processor of a lane. Errors: device.
/// @param device  the device of the graphs; it must be the calling thread's current device
/// @param graphs  nullptr if tracks are known
[[nodiscard]] std::unique_ptr<FrameProcessor> make_cuda_processor(const ProcessorSetup& setup,
                                                                  Device device,
                                                                  std::shared_ptr<GraphSet> graphs);

}  // namespace facepipe::pipeline
