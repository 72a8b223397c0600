// Distributes the work on a picture over several devices, before the work begins.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/programs/viola_jones/scales.h"

namespace facepipe::viola_jones {

/// Holds the parts that each device scans: deal[device].
using Deal = std::vector<std::vector<Part>>;

/// Distributes whole scales, as in the paper. The scale with the most work is dealt first, and each
/// scale goes to the device with the least work so far. `work` has the work of each scale.
[[nodiscard]] Deal deal_scales(const std::vector<Scale>& scales, const std::vector<double>& work,
                               std::size_t devices);

/// Gives each device a band of rows of each scale. If a scale has fewer rows of blocks than there
/// are devices, some devices get none. The next such scale begins with the next device.
[[nodiscard]] Deal deal_bands(const std::vector<Scale>& scales, std::size_t devices);

/// The printed names of both deals. deal_by() makes the deal with the name `dealt`.
inline constexpr const char* kDealt[] = {"scales", "bands"};
[[nodiscard]] Deal deal_by(const std::string& dealt, const std::vector<Scale>& scales,
                           const std::vector<double>& work, std::size_t devices);

/// Returns each device's work in a deal of whole scales.
[[nodiscard]] std::vector<double> work_of(const Deal& deal, const std::vector<double>& work);

}  // namespace facepipe::viola_jones
