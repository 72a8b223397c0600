// What an engine's library says when it refuses a model, as one line for the user.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/error.h"

namespace facepipe {

/// Error(device): "model FILE: LIBRARY: WHAT", with line ends and runs of blanks in WHAT made one
/// blank each.
[[nodiscard]] Error engine_error(const std::filesystem::path& model, std::string_view library,
                                 std::string_view what);

}  // namespace facepipe
