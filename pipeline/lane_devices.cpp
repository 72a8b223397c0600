#include "pipeline/lane_devices.h"

#include <algorithm>

#include "core/error.h"

namespace facepipe {

LaneDevices::LaneDevices(const std::vector<Device>& devices, Notices& notices) : notices_(notices) {
  for (const Device device : devices)
    if (std::ranges::find(devices_, device, &Entry::device) == devices_.end())
      devices_.push_back({device, {}, {}});
}

const LaneDevices::Entry& LaneDevices::of(Device device) const {
  const auto found = std::ranges::find(devices_, device, &Entry::device);
  if (found == devices_.end())
    throw Error(ErrorKind::internal, "no lane works on " + to_string(device));
  return *found;
}

std::stop_token LaneDevices::failed(Device device) const { return of(device).failed.get_token(); }

bool LaneDevices::give_up(Device device, const std::string& why) {
  std::stop_source failed = of(device).failed;
  {
    const std::scoped_lock lock(mutex_);
    if (failed.stop_requested()) return true;
    const auto works = [&](const Entry& entry) { return !entry.failed.stop_requested(); };
    if (std::ranges::count_if(devices_, works) == 1) return false;
    std::ranges::find(devices_, device, &Entry::device)->why = why;
    failed.request_stop();
  }
  notices_.add(to_string(device) + " failed: " + why + "; the others do what it leaves");
  return true;
}

std::string LaneDevices::failure(Device device) const {
  const std::scoped_lock lock(mutex_);
  return of(device).why;
}

}  // namespace facepipe
