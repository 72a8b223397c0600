#include "pipeline/time_limit.h"

#include <chrono>
#include <utility>

namespace facepipe::pipeline {

TimeLimit::TimeLimit(double seconds, std::stop_source stopped)
    : stopped_(std::move(stopped)), thread_([this, seconds](const std::stop_token& ends) {
        std::unique_lock lock(mutex_);
        ending_.wait_for(lock, ends, std::chrono::duration<double>(seconds), [] { return false; });
        if (ends.stop_requested()) return;
        over_ = true;
        stopped_.request_stop();
      }) {}

}  // namespace facepipe::pipeline
