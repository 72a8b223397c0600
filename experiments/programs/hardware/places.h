// Says on which part of a device a measurement runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace facepipe::experiments {

/// The number of multiprocessors that means the whole device.
inline constexpr std::uint32_t kWholeDevice = 0;

/// The whole device, or a part of it.
struct Place {
  std::string words;  ///< such as " on 8 multiprocessors"; empty for the whole device
  std::uint32_t multiprocessors = kWholeDevice;
};

/// Calls measure() once for each different number of multiprocessors, each time in a green context
/// with this number. CUDA rounds numbers up, so several numbers can become equal. If `numbers` is
/// empty, calls measure() once, on the whole device. Throws Error(device), and std::runtime_error
/// if a context runs on another number of multiprocessors.
void on_parts(const std::vector<std::uint32_t>& numbers,
              const std::function<void(const Place&)>& measure);

/// Returns rising numbers of multiprocessors, up to the number of the device. 8 and 40 are about
/// the numbers of the papers' GTX 1060 and Tesla T4. Throws std::runtime_error if there is no
/// device.
[[nodiscard]] std::vector<std::uint32_t> steps_to_all();

}  // namespace facepipe::experiments
