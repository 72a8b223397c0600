// Measures calls with the host's clock.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "bench/result_times.h"
#include "core/timing.h"

namespace facepipe::nms_papers {

/// Returns the times of single calls, after bench::kWarmUp calls that don't count. A call must wait
/// for the work that it enqueues.
inline std::vector<float> microseconds_on_host(int calls, const std::function<void()>& call) {
  for (int i = 0; i < bench::kWarmUp; ++i) call();
  std::vector<float> times;
  for (int i = 0; i < calls; ++i) {
    const Clock::time_point begin = Clock::now();
    call();
    times.push_back(std::chrono::duration<float, std::micro>(Clock::now() - begin).count());
  }
  return times;
}

}  // namespace facepipe::nms_papers
