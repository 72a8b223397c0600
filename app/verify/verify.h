// Implements `facepipe verify`, which checks a hidden video without knowing how it was made.
#pragma once

#include <stop_token>

#include "app/options/options.h"

namespace facepipe::app {

/// Compares the two videos, prints what it finds, and writes the files that the user wants. Returns
/// the exit code:
/// * kExitLeak if a face may be visible, or if not everything could be examined;
/// * otherwise kExitDamaged if frames or time stamps differ or an input is damaged;
/// * otherwise 0.
/// Throws Error. Throws Stopped if `stop` is requested.
[[nodiscard]] int verify(const VerifyOptions& options, const std::stop_token& stop);

}  // namespace facepipe::app
