// The devices that the lanes of a job work on, and which of them have failed.
#pragma once

#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "core/device.h"
#include "video/notices.h"

namespace facepipe::pipeline {

/// Thread-safe.
class LaneDevices {
 public:
  /// @param notices  gets a sentence about each device that fails
  explicit LaneDevices(video::Notices& notices) : notices_(notices) {}

  /// A lane works on the device from now on. Returns false if the device has failed already.
  bool add(Device device);
  /// Requested when the device has failed.
  [[nodiscard]] std::stop_token failed(Device device) const;
  /// A lane calls this when its device has failed. Returns false if no other device works: then the
  /// job has failed.
  [[nodiscard]] bool give_up(Device device, const std::string& why);
  /// Why a device has failed; empty if it works.
  [[nodiscard]] std::string failure(Device device) const;

 private:
  struct Entry {
    Device device;
    std::stop_source failed;
    std::string why;
  };
  [[nodiscard]] const Entry& of(Device device) const;

  video::Notices& notices_;
  mutable std::mutex mutex_;  // guards devices_
  std::vector<Entry> devices_;
};

}  // namespace facepipe::pipeline
