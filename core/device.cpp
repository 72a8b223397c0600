#include "core/device.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/error.h"

namespace facepipe {
namespace {

constexpr std::string_view kCuda = "cuda";

Error refused(std::string_view text) {
  return {ErrorKind::usage,
          "--device " + std::string(text) + ": expected auto, cpu, cuda or cuda:N"};
}

std::optional<int> number_in(std::string_view text) {
  int number = -1;
  const char* const last = text.data() + text.size();
  const auto [end, status] = std::from_chars(text.data(), last, number);
  if (status != std::errc() || end != last || number < 0) return std::nullopt;
  return number;
}

/// Returns why the device can't be used; empty if it can.
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
  const std::optional<int> index = number_in(text.substr(kCuda.size() + 1));
  if (!index) throw refused(text);
  return {false, {DeviceKind::cuda, *index}};
}

std::vector<int> parse_devices(std::string_view text) {
  std::vector<int> devices;
  if (text == "all") return devices;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::optional<int> index = number_in(text.substr(begin, end - begin));
    if (!index || std::ranges::count(devices, *index) > 0)
      throw Error(ErrorKind::usage, "--devices " + std::string(text) +
                                        ": expected all, or numbers of CUDA devices like 0,2");
    devices.push_back(*index);
    begin = end + 1;
  }
  return devices;
}

std::vector<Device> resolve_devices(const std::vector<int>& wanted, const CudaProbe& cuda) {
  std::vector<Device> devices;
  for (const int index : wanted) {
    const std::string problem = problem_of(index, cuda);
    if (!problem.empty())
      throw Error(ErrorKind::device, "--devices " + std::to_string(index) + ": " + problem);
    devices.push_back({DeviceKind::cuda, index});
  }
  for (std::size_t i = 0; wanted.empty() && i < cuda.devices.size(); ++i)
    if (cuda.devices[i].problem.empty()) devices.push_back({DeviceKind::cuda, static_cast<int>(i)});
  if (devices.empty()) throw Error(ErrorKind::device, "--devices all: " + problem_of(0, cuda));
  return devices;
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
