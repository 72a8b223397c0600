// Prints the lines about several devices, with and without MPI.
#pragma once

#include <string>
#include <vector>

#include "experiments/programs/viola_jones/part_scan.h"

namespace facepipe::viola_jones {

/// Prints a line: how ("threads", "MPI", "simulated"), what is dealt ("scales", "bands", "frames"),
/// number of devices, which device or "all", picture, windows found, and microseconds of each
/// frame. Tabs separate the fields.
void show_devices(const std::string& how, const std::string& dealt, std::size_t devices,
                  const std::string& device, const Job& job, std::size_t found,
                  const std::vector<float>& times);

}  // namespace facepipe::viola_jones
