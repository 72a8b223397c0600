// What a run adds up from the records of its frames.
#pragma once

#include "core/frame_record.h"
#include "core/timing.h"
#include "pipeline/job_observer.h"
#include "pipeline/job_result.h"
#include "pipeline/stage_times.h"

namespace facepipe::pipeline {

/// Takes some 200 KB, whatever the number of frames. Start-up is what happens before the first
/// frame goes to the detector: the input is opened, and the network is made ready for its size. The
/// rate counts from then on to the end.
/// Its eight members are counters, one for each line of the result.
class Statistics {
 public:
  Statistics() : begin_(Clock::now()), begin_cpu_s_(process_cpu_s()) {}

  /// In presentation order.
  void add(const FrameRecord& record);
  void add_work(StageId stage, Clock::duration work) { times_.add_work(stage, work); }
  [[nodiscard]] Progress progress(std::int64_t expected_frames) const;
  /// The end of the run: fills in what the records say: faces, candidates, times, rate.
  void fill(JobResult& result);
  [[nodiscard]] const StageTimes& times() const { return times_; }

 private:
  [[nodiscard]] static double process_cpu_s();
  [[nodiscard]] double frames_per_second(Clock::time_point now) const;

  Clock::time_point begin_;
  double begin_cpu_s_;
  Clock::time_point started_;  ///< when start-up was over
  std::int64_t frames_ = 0;
  std::int64_t searched_ = 0;
  std::int64_t faces_ = 0;
  std::int64_t candidates_ = 0;
  StageTimes times_;
};

}  // namespace facepipe::pipeline
