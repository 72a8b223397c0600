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

Device resolve_device(const DeviceRequest& request, std::string& why) {
  if (!request.automatic) {
    if (request.device.kind == DeviceKind::cuda)
      throw Error(ErrorKind::device,
                  "--device " + to_string(request.device) + ": this build has no CUDA support");
    return request.device;
  }
  why = "cpu: this build has no CUDA support";
  return {};
}

}  // namespace facepipe
