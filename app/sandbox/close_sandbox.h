// Closes the calling process into a sandbox, for good.
#pragma once

#include <string>
#include <vector>

#include "app/sandbox/landlock.h"
#include "app/sandbox/seccomp.h"

namespace facepipe::app {

/// Limits the process to these files, besides those that every run may open (system_paths()), and
/// to the calls that it needs. Returns why this fails, as part of a sentence; empty if it doesn't.
[[nodiscard]] std::string close_sandbox(const std::vector<AllowedPath>& allowed, Network network,
                                        Processes processes, Driver driver = Driver::none);

}  // namespace facepipe::app
