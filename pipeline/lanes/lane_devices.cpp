#include "pipeline/lanes/lane_devices.h"

#include <algorithm>

#include "core/error.h"

namespace facepipe::pipeline {

bool LaneDevices::add(Device device) {
  const std::scoped_lock lock(mutex_);
  const auto known = std::ranges::find(devices_, device, &Entry::device);
  if (known != devices_.end()) return !known->failed.stop_requested();
  devices_.push_back({device, {}, {}});
  return true;
}

const LaneDevices::Entry& LaneDevices::of(Device device) const {
  const auto found = std::ranges::find(devices_, device, &Entry::device);
  if (found == devices_.end())
    throw Error(ErrorKind::internal, "no lane works on " + to_string(device));
  return *found;
}

std::stop_token LaneDevices::failed(Device device) const {
  const std::scoped_lock lock(mutex_);
  return of(device).failed.get_token();
}

bool LaneDevices::give_up(Device device, const std::string& why) {
  {
    const std::scoped_lock lock(mutex_);
    std::stop_source failed = of(device).failed;
    if (failed.stop_requested()) return true;
    const auto works = [&](const Entry& entry) { return !entry.failed.stop_requested(); };
    if (std::ranges::count_if(devices_, works) == 1) return false;
    std::ranges::find(devices_, device, &Entry::device)->why = why;
    failed.request_stop();
  }
  notices_.add(to_string(device) + " failed: " + why +
               "; the other devices do the rest of its work");
  return true;
}

std::string LaneDevices::failure(Device device) const {
  const std::scoped_lock lock(mutex_);
  return of(device).why;
}

}  // namespace facepipe::pipeline
