// Prints lines of results for whole frames, on one device and on several devices, with and without
// MPI.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/programs/viola_jones/part_scan.h"

namespace facepipe::viola_jones {

/// Prints a line: who, "with copies" or "without", picture, windows found, and microseconds of each
/// frame. Tabs separate the fields.
void show_frame(const std::string& who, bool with_copies, const Job& job, std::size_t found,
                const std::vector<float>& times);

/// Prints a line: method ("threads", "MPI", "simulated"), what is distributed ("scales", "bands",
/// "frames"), number of devices, which device or "all", picture, windows found, and microseconds of
/// each frame. Tabs separate the fields.
void show_devices(const std::string& how, const std::string& dealt, std::size_t devices,
                  const std::string& device, const Job& job, std::size_t found,
                  const std::vector<float>& times);

}  // namespace facepipe::viola_jones
