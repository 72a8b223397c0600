// Lists the devices that the lanes of a job work on, and marks the devices that have failed.
#pragma once

#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "core/device.h"
#include "video/notices.h"

namespace facepipe::pipeline {

/// The devices of a job's lanes. Thread-safe.
class LaneDevices {
 public:
  /// @param notices  gets a notice about each device that fails
  explicit LaneDevices(video::Notices& notices) : notices_(notices) {}

  /// Adds a lane's device, if the list doesn't contain it yet. Returns false if the device has
  /// failed already.
  bool add(Device device);
  /// Returns the stop token that is requested when the device has failed.
  [[nodiscard]] std::stop_token failed(Device device) const;
  /// Marks a device as failed. Returns false, and marks nothing, if no other device works; the
  /// caller must then fail the job.
  [[nodiscard]] bool give_up(Device device, const std::string& why);
  /// Returns why a device has failed; empty if it works.
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
