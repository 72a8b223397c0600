// Combines the two reasons for which the threads of a lane stop.
#pragma once

#include <functional>
#include <stop_token>

namespace facepipe::pipeline {

/// Has a stop token that is requested when the job or the lane's device has failed.
class LaneStop {
 public:
  LaneStop(const std::stop_token& job_failed, const std::stop_token& device_failed)
      : by_job_(job_failed, [this] { stop_.request_stop(); }),
        by_device_(device_failed, [this] { stop_.request_stop(); }) {}
  LaneStop(const LaneStop&) = delete;
  LaneStop& operator=(const LaneStop&) = delete;

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  const std::stop_callback<std::function<void()>> by_job_;
  const std::stop_callback<std::function<void()>> by_device_;
};

}  // namespace facepipe::pipeline
