#include "app/backends.h"

#include <algorithm>
#include <cstddef>
#include <future>
#include <utility>
#include <vector>

#include "core/error.h"
#include "pipeline/cpu/backend.h"
#include "pipeline/device_group.h"

#if FACEPIPE_CUDA
#include "core/cuda/devices.h"
#include "pipeline/cuda/backend.h"
#endif

namespace facepipe::app {
namespace {

#if !FACEPIPE_CUDA
[[noreturn]] void refuse(const Device& device) {
  throw Error(ErrorKind::device, to_string(device) + ": this build has no CUDA support");
}
#endif

}  // namespace

CudaProbe probe_cuda() {
#if FACEPIPE_CUDA
  return cuda::probe_devices();
#else
  return {};
#endif
}

pipeline::CudaAbilities find_cuda_abilities() {
#if FACEPIPE_CUDA
  return pipeline::cuda_abilities();
#else
  return {};
#endif
}

pipeline::OneFrameResult detect_on_cuda([[maybe_unused]] const Frame& frame, Device device,
                                        [[maybe_unused]] const detector::DetectorOptions& options) {
#if FACEPIPE_CUDA
  return pipeline::detect_one_frame(frame, device, options);
#else
  refuse(device);
#endif
}

DeviceStart start_devices([[maybe_unused]] const DeviceRequest& request,
                          [[maybe_unused]] const std::optional<std::vector<int>>& devices) {
#if FACEPIPE_CUDA
  auto started = std::make_shared<std::vector<std::unique_ptr<cuda::ContextStart>>>();
  const auto start = [&](int index) {
    started->push_back(std::make_unique<cuda::ContextStart>(Device{DeviceKind::cuda, index}));
  };
  if (devices && !devices->empty())
    std::ranges::for_each(*devices, start);
  else if (devices || request.automatic)
    start(0);  // on most machines, it is chosen or among those that are chosen
  else if (request.device.kind == DeviceKind::cuda)
    start(request.device.index);
  return started;
#else
  return nullptr;
#endif
}

std::unique_ptr<pipeline::Backend> make_backend(const Device& device,
                                                const detector::DetectorOptions& options) {
  if (device.kind == DeviceKind::cpu)
    return pipeline::make_cpu_backend(detector::make_detector_factory(device, options));
#if FACEPIPE_CUDA
  return pipeline::make_cuda_backend(device, options);
#else
  refuse(device);
#endif
}

std::unique_ptr<pipeline::Backend> make_renderer(const Device& device) {
  if (device.kind == DeviceKind::cpu) return pipeline::make_cpu_backend(nullptr);
#if FACEPIPE_CUDA
  return pipeline::make_cuda_renderer(device);
#else
  refuse(device);
#endif
}

DeviceChoice choose_device(const DeviceRequest& request, const CudaProbe& cuda,
                           const detector::DetectorOptions& options, const MakeBackend& make) {
  DeviceChoice choice;
  const Device device = resolve_device(request, cuda, choice.why);
  choice.devices = {device};
  if (!request.automatic || device.kind == DeviceKind::cpu) {
    choice.backend = make(device, options);
    return choice;
  }
  try {
    choice.backend = make(device, options);
  } catch (const Error& error) {
    choice.why = "cpu: " + to_string(device) + " can't be used: " + error.what();
    choice.devices = {Device{}};
    choice.backend = make(Device{}, options);
  }
  return choice;
}

DeviceChoice choose_devices(const std::vector<int>& wanted, const CudaProbe& cuda,
                            const detector::DetectorOptions& options, const MakeBackend& make) {
  const std::vector<Device> devices = resolve_devices(wanted, cuda);
  // The backends are made at the same time, because each one takes 0.2 to 0.5 s.
  std::vector<std::future<std::unique_ptr<pipeline::Backend>>> made;
  for (const Device device : devices)
    made.push_back(std::async(std::launch::async, [&, device] { return make(device, options); }));
  DeviceChoice choice;
  std::vector<std::unique_ptr<pipeline::Backend>> backends;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Device device = devices[i];
    try {
      backends.push_back(made[i].get());
      choice.devices.push_back(device);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::device) throw;
      const std::string why = to_string(device) + " can't be used: " + error.what();
      if (!wanted.empty()) throw Error(ErrorKind::device, "--devices: " + why);
      choice.why += (choice.why.empty() ? "" : "; ") + why;
    }
  }
  if (backends.empty()) throw Error(ErrorKind::device, "--devices all: " + choice.why);
  choice.backend = pipeline::join_devices(std::move(backends));
  return choice;
}

}  // namespace facepipe::app
