#include "app/run/run_times.h"

namespace facepipe::app {

void RunTimes::add_stages(const pipeline::StageTimes& times) {
  const std::scoped_lock lock(mutex_);
  stages_.merge(times);
}

void RunTimes::add_several_at_once(double seconds) {
  work_.seconds += seconds;
  work_.at_once = true;
}

}  // namespace facepipe::app
