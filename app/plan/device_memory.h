// Measures how much of a GPU's memory is in use while a plan's trials run.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "pipeline/backend.h"

namespace facepipe::app {

/// Looks at a device's memory several times a second, until it is destroyed. CUDA can't tell how
/// much memory one program uses, so other programs on the same device count, too. Of several
/// devices, it looks at the first one.
class DeviceMemoryWatch {
 public:
  /// Does nothing if the device uses the host's memory. `backend` must outlive this object.
  explicit DeviceMemoryWatch(const pipeline::Backend& backend);

  /// Returns the most bytes that were in use at the same time; 0 if the device uses the host's
  /// memory.
  [[nodiscard]] std::int64_t most() const { return most_; }

 private:
  void poll(const std::stop_token& stop);
  void look();

  const pipeline::Backend& backend_;
  std::int64_t all_;  ///< bytes of the device's memory; 0 if it has none of its own
  std::atomic<std::int64_t> most_ = 0;
  std::jthread thread_;  // the last member, because the thread uses the others
};

}  // namespace facepipe::app
