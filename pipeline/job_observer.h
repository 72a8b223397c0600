// Declares the callbacks through which a caller follows a job.
#pragma once

#include <cstdint>
#include <functional>

#include "core/frame_record.h"
#include "pipeline/stage_times.h"

namespace facepipe::pipeline {

/// The state of a job after a frame.
struct Progress {
  std::int64_t frames = 0;
  std::int64_t expected_frames = 0;  ///< 0 if unknown
  double fps = 0;
  std::int64_t faces = 0;
};

/// Callbacks of a job. An exception of a callback ends the run.
struct JobObserver {
  /// Called with each frame's record, in order, on one thread of the pipeline.
  std::function<void(const FrameRecord&)> frame;
  /// Called at most once a frame, on the same thread as `frame`.
  std::function<void(const Progress&)> progress;
  /// Called once at the end, on run_job()'s thread.
  std::function<void(const StageTimes&)> times;
};

}  // namespace facepipe::pipeline
