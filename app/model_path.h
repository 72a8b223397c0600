// Where the default model is.
#pragma once

#include <filesystem>
#include <vector>

namespace facepipe::app {

/// Returns the folder of the running program.
[[nodiscard]] std::filesystem::path program_directory();

/// Returns the places of the default model, best first.
[[nodiscard]] std::vector<std::filesystem::path> default_model_places(
    const std::filesystem::path& program_directory);

/// Returns `named` if it isn't empty; else the value of FACEPIPE_MODEL; else the first default
/// place that holds a file. It doesn't look at a file that was named: whoever reads it reports what
/// is wrong with it. Throws Error(device), which says where it has looked.
[[nodiscard]] std::filesystem::path find_model(const std::filesystem::path& named,
                                               const std::filesystem::path& program_directory);

}  // namespace facepipe::app
