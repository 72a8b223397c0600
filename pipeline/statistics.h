// Adds up the records of a run's frames.
#pragma once

#include "core/frame_record.h"
#include "core/timing.h"
#include "pipeline/job_observer.h"
#include "pipeline/job_result.h"
#include "pipeline/stage_times.h"

namespace facepipe::pipeline {

/// An object takes some 200 KB, independent of the number of frames. Start-up is the time before
/// the detector gets the first frame. In this time, the input is opened, and the network is
/// prepared for the size of its pictures. The frame rate counts from the end of start-up. The eight
/// members are the begin of the run, the end of start-up, and the sums.
class Statistics {
 public:
  Statistics() : begin_(Clock::now()), begin_cpu_s_(process_cpu_s()) {}

  /// Adds the next record in presentation order.
  void add(const FrameRecord& record);
  void add_work(StageId stage, Clock::duration work) { times_.add_work(stage, work); }
  [[nodiscard]] Progress progress(std::int64_t expected_frames) const;
  /// Call this at the end of the run. Fills in searched frames, faces, candidates, times and rate.
  void fill(JobResult& result);
  [[nodiscard]] const StageTimes& times() const { return times_; }

 private:
  [[nodiscard]] static double process_cpu_s();
  [[nodiscard]] double frames_per_second(Clock::time_point now) const;

  Clock::time_point begin_;
  double begin_cpu_s_;
  Clock::time_point started_;  ///< the end of start-up
  std::int64_t frames_ = 0;
  std::int64_t searched_ = 0;
  std::int64_t faces_ = 0;
  std::int64_t candidates_ = 0;
  StageTimes times_;
};

}  // namespace facepipe::pipeline
