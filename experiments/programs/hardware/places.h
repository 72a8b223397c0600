// Says on which part of a device a measurement runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace facepipe::experiments {

/// Stands for the number of multiprocessors of the device.
inline constexpr std::uint32_t kWholeDevice = 0;

/// A device or a part of it.
struct Place {
  std::string words;  ///< such as " on 8 multiprocessors"; empty for the whole device
  std::uint32_t multiprocessors = kWholeDevice;
};

/// Calls measure() once for each different number of multiprocessors, each time in a green context
/// of so many. CUDA rounds the numbers up, so some may be equal. Without numbers, it calls
/// measure() once, on the whole device. Throws Error(device), and std::runtime_error if a context
/// runs on other multiprocessors than its own.
void on_parts(const std::vector<std::uint32_t>& numbers,
              const std::function<void(const Place&)>& measure);

/// Returns growing numbers of multiprocessors, up to all of the device's. 8 and 40 are about those
/// of the papers' GTX 1060 and Tesla T4. Throws std::runtime_error if there is no device.
[[nodiscard]] std::vector<std::uint32_t> steps_to_all();

}  // namespace facepipe::experiments
