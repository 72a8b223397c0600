// Adds up how long a run has worked, and in which stages.
#pragma once

#include <mutex>

#include "app/output/summary.h"
#include "pipeline/stage_times.h"

namespace facepipe::app {

/// Adds up the times of all inputs. add_stages() is thread-safe. The other functions may be called
/// only while no input is worked on.
class RunTimes {
 public:
  void add_stages(const pipeline::StageTimes& times);
  /// Adds the working time of an input that was worked on alone, without its start-up.
  void add_single(double seconds) { work_.seconds += seconds; }
  /// Adds the common working time of several inputs that were worked on at the same time.
  void add_several_at_once(double seconds);

  [[nodiscard]] const pipeline::StageTimes& stages() const { return stages_; }
  [[nodiscard]] const WorkTime& work() const { return work_; }

 private:
  std::mutex mutex_;  // guards stages_
  pipeline::StageTimes stages_;
  WorkTime work_;
};

}  // namespace facepipe::app
