// Who follows a job, and what it is told.
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

/// Follows a job. An exception of an observer ends the run.
struct JobObserver {
  /// Gets each frame's record, in order, from one thread of the pipeline.
  std::function<void(const FrameRecord&)> frame;
  /// Comes from the same thread, at most once a frame.
  std::function<void(const Progress&)> progress;
  std::function<void(const StageTimes&)> times;  ///< once, at the end, from run_job()'s thread
};

}  // namespace facepipe::pipeline
