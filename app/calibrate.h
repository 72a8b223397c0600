// `facepipe calibrate`: ranges for int8, measured on a user's pictures.
#pragma once

#include <stop_token>

#include "app/options/options.h"

namespace facepipe::app {

/// Looks at the pictures and writes the file of ranges, which then is the model's. Returns the exit
/// code: 0. Errors: Error; Stopped once `stop` is requested.
[[nodiscard]] int calibrate(const CalibrateOptions& options, const std::stop_token& stop);

}  // namespace facepipe::app
