// Makes a CUDA context of a part of a device's multiprocessors.
#pragma once

#include <cstdint>

namespace facepipe::experiments {

/// A green context, which is current in the calling thread as long as it lives. Streams made in
/// this time run their work only on its multiprocessors. Destroy them, and graphs captured from
/// them, before it. It needs a driver of CUDA 12.4 or newer.
class GreenContext {
 public:
  /// Takes at least this many multiprocessors of the current device, or all if it has fewer. CUDA
  /// rounds up to what it can divide: on compute capability 9.0 to a multiple of 8. Throws
  /// Error(device).
  explicit GreenContext(std::uint32_t multiprocessors);
  ~GreenContext();
  GreenContext(const GreenContext&) = delete;
  GreenContext& operator=(const GreenContext&) = delete;

  /// Returns the number of its multiprocessors.
  [[nodiscard]] std::uint32_t multiprocessors() const noexcept { return multiprocessors_; }

 private:
  void* context_ = nullptr;
  void* previous_ = nullptr;
  std::uint32_t multiprocessors_ = 0;
};

}  // namespace facepipe::experiments
