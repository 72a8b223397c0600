// Finds the files of the system that the program and its libraries open while they work.
#pragma once

#include <vector>

#include "app/sandbox/landlock.h"

namespace facepipe::app {

/// Returns what every run may open: the folders of libraries, which load more libraries and
/// plug-ins while they work; what tells of the machine and of the process itself; and /dev/null.
/// With a network, also what finds other hosts and proves who they are.
[[nodiscard]] std::vector<AllowedPath> system_paths(Network network);

/// Returns whether this machine has the device of NVIDIA's driver, or the one of WSL.
[[nodiscard]] bool has_nvidia_driver();

/// Returns what NVIDIA's driver opens: its devices, its caches, and what tells of it.
[[nodiscard]] std::vector<AllowedPath> cuda_paths();

}  // namespace facepipe::app
