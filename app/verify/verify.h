// `facepipe verify`: proves a hidden video from outside.
#pragma once

#include <stop_token>

#include "app/options/options.h"

namespace facepipe::app {

/// Compares the two videos, prints what it finds, and writes the files that the user wants. Returns
/// the exit code: kExitLeak if a face may be seen; else kExitDamaged if frames or time stamps
/// differ or an input is damaged; else 0. Errors: Error; Stopped once `stop` is requested.
[[nodiscard]] int verify(const VerifyOptions& options, const std::stop_token& stop);

}  // namespace facepipe::app
