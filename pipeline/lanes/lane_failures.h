// Handles errors of a lane's threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "pipeline/backend.h"
#include "pipeline/job_end.h"
#include "pipeline/lanes/lane_connections.h"
#include "pipeline/lanes/lane_segments.h"
#include "pipeline/lanes/lane_stage.h"

namespace facepipe::pipeline {

/// Runs the stages of a lane and handles their errors:
/// * If the lane's device fails and another device works, the lane ends and gives its unfinished
///   segments back.
/// * If the job keeps its output after an error (JobEnd), any other error ends reading. The stream
///   ends in the segment where the error happened: the next stages of the lane finish the frames
///   that they have got, and all lanes drop later frames of the stream.
/// * If the job doesn't keep its output, the error fails the job.
/// Thread-safe.
class LaneFailures {
 public:
  /// @param backend  the device of the lane's threads
  LaneFailures(Backend& backend, LaneConnections& connections, LaneSegments& segments, JobEnd& end)
      : backend_(backend), connections_(connections), segments_(segments), end_(end) {}

  /// Call this once for each thread that will call run().
  void add_thread() { ++running_; }
  /// Runs the stage on the lane's device. Each thread of the lane calls this once, for its whole
  /// work. If the device has failed, the last thread to end gives back the unfinished segments,
  /// because the lane gives no more frames then.
  void run(LaneStage& stage);

  /// Ends the stream in `segment`. Frames of the segment that the lane has still to give are lost.
  void lose_from(std::int64_t segment);
  /// Returns the first segment with lost frames; nullopt if no frames were lost.
  [[nodiscard]] std::optional<std::int64_t> lost_from();

 private:
  void work_on_device(LaneStage& stage);
  void work(LaneStage& stage);
  [[nodiscard]] bool device_failed() const {
    return connections_.devices.failed(backend_.device()).stop_requested();
  }

  Backend& backend_;
  LaneConnections& connections_;
  LaneSegments& segments_;
  JobEnd& end_;
  std::atomic<int> running_ = 0;  // number of threads that have not ended
  std::mutex losing_;             // guards lost_from_
  std::optional<std::int64_t> lost_from_;
};

}  // namespace facepipe::pipeline
