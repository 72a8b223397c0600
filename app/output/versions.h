// Says which versions of the program and its libraries are in use.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace facepipe::app {

/// Returns an object with a version for each name: facepipe, FFmpeg, OpenCV, OpenVINO, compiler.
[[nodiscard]] nlohmann::ordered_json versions_json();

}  // namespace facepipe::app
