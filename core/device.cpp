#include "core/device.h"

#include <charconv>

#include "core/error.h"

namespace facepipe {
namespace {

constexpr std::string_view kCuda = "cuda";

Error refused(std::string_view text) {
  return {ErrorKind::usage,
          "--device " + std::string(text) + ": expected auto, cpu, cuda or cuda:N"};
}

/// Why the device can't be used; empty if it can.
std::string problem_of(int index, const CudaProbe& cuda) {
  if (!cuda.built) return "this build has no CUDA support";
  if (!cuda.problem.empty()) return "no CUDA device: " + cuda.problem;
  if (cuda.devices.empty()) return "no CUDA device";
  const auto number = static_cast<std::size_t>(index);
  if (number >= cuda.devices.size())
    return "there are " + std::to_string(cuda.devices.size()) + " CUDA devices";
  const CudaProbe::Found& found = cuda.devices[number];
  return found.problem.empty() ? "" : found.name + " " + found.problem;
}

}  // namespace

std::string to_string(Device device) {
  if (device.kind == DeviceKind::cpu) return "cpu";
  return "cuda:" + std::to_string(device.index);
}

DeviceRequest parse_device(std::string_view text) {
  if (text == "auto") return {};
  if (text == "cpu") return {false, {DeviceKind::cpu, 0}};
  if (text == kCuda) return {false, {DeviceKind::cuda, 0}};
  if (!text.starts_with("cuda:")) throw refused(text);
  const std::string_view number = text.substr(kCuda.size() + 1);
  int index = -1;
  const auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), index);
  if (status != std::errc() || end != number.data() + number.size() || index < 0)
    throw refused(text);
  return {false, {DeviceKind::cuda, index}};
}

Device resolve_device(const DeviceRequest& request, const CudaProbe& cuda, std::string& why) {
  if (!request.automatic) {
    if (request.device.kind == DeviceKind::cuda) {
      const std::string problem = problem_of(request.device.index, cuda);
      if (!problem.empty())
        throw Error(ErrorKind::device, "--device " + to_string(request.device) + ": " + problem);
    }
    return request.device;
  }
  const std::string problem = problem_of(0, cuda);
  for (std::size_t i = 0; i < cuda.devices.size(); ++i) {
    if (!cuda.devices[i].problem.empty()) continue;
    const Device found{DeviceKind::cuda, static_cast<int>(i)};
    why = to_string(found) + ": " + cuda.devices[i].name;
    return found;
  }
  why = "cpu: " + problem;
  return {};
}

}  // namespace facepipe
