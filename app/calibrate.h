// Implements `facepipe calibrate`, which runs a model on a user's pictures and measures the ranges
// that int8 needs.
#pragma once

#include <stop_token>

#include "app/options/options.h"

namespace facepipe::app {

/// Measures the ranges of the model's tensors on the pictures, and writes the model's file of
/// ranges. Returns the exit code: 0. Throws Error. Throws Stopped if `stop` is requested.
[[nodiscard]] int calibrate(const CalibrateOptions& options, const std::stop_token& stop);

}  // namespace facepipe::app
