// Declares the callbacks through which a caller follows a job.
#pragma once

#include <cstdint>
#include <functional>

#include "core/frame_record.h"
#include "pipeline/stage_times.h"
#include "video/write/preview_pictures.h"

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
  /// Called with small pictures of what the encoder gets, in order, on a thread of the pipeline.
  /// They are spread over the video. There are none if the frames are on a device, if several lanes
  /// work on the input, or if its length is unknown.
  std::function<void(video::PreviewPicture)> picture;
};

}  // namespace facepipe::pipeline
