#include "app/plan/time_limit.h"

#include <chrono>
#include <mutex>

namespace facepipe::app {

TimeLimit::TimeLimit(double seconds, const std::stop_token& outer)
    : with_outer_(outer, Request{source_}), thread_([this, seconds](const std::stop_token& ends) {
        std::unique_lock lock(mutex_);
        ending_.wait_for(lock, ends, std::chrono::duration<double>(seconds), [] { return false; });
        if (!ends.stop_requested()) source_.request_stop();
      }) {}

}  // namespace facepipe::app
