// A part of a device's multiprocessors, as a CUDA context of its own.
#pragma once

#include <cstdint>

namespace facepipe::nms_papers {

/// A green context, current in the calling thread for as long as it lives: streams made meanwhile
/// run their work on its multiprocessors alone. They, and graphs captured from them, must be
/// destroyed before it is. Needs a driver of CUDA 12.4 or newer.
class GreenContext {
 public:
  /// Of the current device: at least so many multiprocessors, or all where it has no more. CUDA
  /// rounds up to what it can part: on compute capability 9.0 to a multiple of 8. Throws
  /// Error(device).
  explicit GreenContext(std::uint32_t multiprocessors);
  ~GreenContext();
  GreenContext(const GreenContext&) = delete;
  GreenContext& operator=(const GreenContext&) = delete;

  /// How many there are.
  [[nodiscard]] std::uint32_t multiprocessors() const noexcept { return multiprocessors_; }

 private:
  void* context_ = nullptr;
  void* previous_ = nullptr;
  std::uint32_t multiprocessors_ = 0;
};

}  // namespace facepipe::nms_papers
