// Makes a CUDA context with some of a device's multiprocessors.
#pragma once

#include <cstdint>

namespace facepipe::experiments {

/// A green context, which is current in the calling thread while the object exists. Streams that
/// are made in this time use only the context's multiprocessors. Destroy these streams, and graphs
/// captured from them, before the context. It needs a driver of CUDA 12.4 or newer.
class GreenContext {
 public:
  /// Uses at least this many multiprocessors of the current device, or all if the device has fewer.
  /// CUDA rounds the number up: on compute capability 9.0 to a multiple of 8. Throws Error(device).
  explicit GreenContext(std::uint32_t multiprocessors);
  ~GreenContext();
  GreenContext(const GreenContext&) = delete;
  GreenContext& operator=(const GreenContext&) = delete;

  /// Returns the number of the context's multiprocessors.
  [[nodiscard]] std::uint32_t multiprocessors() const noexcept { return multiprocessors_; }

 private:
  void* context_ = nullptr;
  void* previous_ = nullptr;
  std::uint32_t multiprocessors_ = 0;
};

}  // namespace facepipe::experiments
