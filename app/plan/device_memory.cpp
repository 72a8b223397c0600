#include "app/plan/device_memory.h"

#include <algorithm>
#include <chrono>

#include "app/failure.h"
#include "core/threads.h"

#if FACEPIPE_CUDA
#include "core/cuda/devices.h"
#endif

namespace facepipe::app {
namespace {

constexpr std::chrono::milliseconds kPause{25};

std::int64_t memory_of([[maybe_unused]] const Device& device) {
#if FACEPIPE_CUDA
  if (device.kind == DeviceKind::cpu) return 0;
  const auto devices = cuda::devices();
  const auto index = static_cast<std::size_t>(device.index);
  return index < devices.size() ? static_cast<std::int64_t>(devices[index].memory_bytes) : 0;
#else
  return 0;
#endif
}

}  // namespace

DeviceMemoryWatch::DeviceMemoryWatch(const pipeline::Backend& backend)
    : backend_(backend), all_(memory_of(backend.device())) {
  if (all_ == 0) return;
  look();
  thread_ = start_thread([this](const std::stop_token& stop) { poll(stop); });
}

void DeviceMemoryWatch::poll(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(kPause);
    // A device that fails ends the trials, too. They tell the reason.
    if (attempt({}, [this] { look(); })) return;
  }
}

void DeviceMemoryWatch::look() {
  most_ = std::max<std::int64_t>(most_, all_ - backend_.free_memory());
}

}  // namespace facepipe::app
