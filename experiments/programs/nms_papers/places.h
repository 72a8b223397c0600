// Says on which part of a device a measurement runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "nms/cuda/suppressor.h"

namespace facepipe::nms_papers {

/// A device or a part of it.
struct Place {
  std::string words;  ///< ends the lines' first word, as " on 8 multiprocessors"; empty: no part
  std::uint32_t multiprocessors = nms::kAllMultiprocessors;
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

}  // namespace facepipe::nms_papers
