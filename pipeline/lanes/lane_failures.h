// What becomes of a lane, and of the stream, when a thread of the lane fails.
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

/// If the device fails and another one works, the lane ends, and gives its unfinished segments
/// back. If the job keeps what it has finished (JobEnd), any other error lets reading end, and ends
/// the stream in the segment where it happened. What the failed thread has given goes on to the end
/// of the lane as at the input's end. What lanes have of the stream behind that is dropped. If the
/// job keeps nothing, the error fails it. Thread-safe.
class LaneFailures {
 public:
  /// @param backend  whose device the lane's threads work on
  LaneFailures(Backend& backend, LaneConnections& connections, LaneSegments& segments, JobEnd& end)
      : backend_(backend), connections_(connections), segments_(segments), end_(end) {}

  /// One more thread will call run().
  void add_thread() { ++running_; }
  /// The body of a thread: runs the stage on the lane's device. The last thread to end gives back
  /// what is unfinished, because nothing more of it is given by then.
  void run(LaneStage& stage);

  /// The stream ends within the segment, with what the lane gives of it by its end.
  void lose_from(std::int64_t segment);
  /// The first segment whose frames nobody gets any more.
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
  std::atomic<int> running_ = 0;  // threads
  std::mutex losing_;             // guards lost_from_
  std::optional<std::int64_t> lost_from_;
};

}  // namespace facepipe::pipeline
