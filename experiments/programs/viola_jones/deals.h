// How the work of a picture is dealt over several devices, before it begins.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/programs/viola_jones/scales.h"

namespace facepipe::viola_jones {

/// What each device scans.
using Deal = std::vector<std::vector<Part>>;

/// As in the paper: whole scales, each with a known amount of work. The largest first, each to the
/// device that has least so far.
[[nodiscard]] Deal deal_scales(const std::vector<Scale>& scales, const std::vector<double>& work,
                               std::size_t devices);

/// A band of rows of each scale's to each device; of scales with fewer rows of blocks than devices
/// some devices have none, by turns.
[[nodiscard]] Deal deal_bands(const std::vector<Scale>& scales, std::size_t devices);

/// The names of both in what is printed, and the deal of that name.
inline constexpr const char* kDealt[] = {"scales", "bands"};
[[nodiscard]] Deal deal_by(const std::string& dealt, const std::vector<Scale>& scales,
                           const std::vector<double>& work, std::size_t devices);

/// Of each device, of a deal of whole scales.
[[nodiscard]] std::vector<double> work_of(const Deal& deal, const std::vector<double>& work);

}  // namespace facepipe::viola_jones
