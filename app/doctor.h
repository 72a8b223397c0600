// `facepipe doctor`: what this machine can do.
#pragma once

#include <functional>
#include <string_view>

#include "app/options.h"

namespace facepipe {

/// Tells version, libraries, devices, codecs, model and engines through `print`, piece by piece,
/// and runs one frame through each engine and precision. Returns the exit code: 4 if no engine
/// works, else 0.
[[nodiscard]] int doctor(const DoctorOptions& options,
                         const std::function<void(std::string_view)>& print);

}  // namespace facepipe
