// Where the model is that nobody named.
#pragma once

#include <filesystem>
#include <vector>

namespace facepipe::app {

/// The folder of the running program.
[[nodiscard]] std::filesystem::path program_directory();

/// Places of the default model, best first.
[[nodiscard]] std::vector<std::filesystem::path> default_model_places(
    const std::filesystem::path& program_directory);

/// `named` if it isn't empty; else the value of FACEPIPE_MODEL; else the first default place that
/// holds a file. What was named isn't looked at: who reads it tells what is wrong with it.
/// Throws Error(device), saying where it was looked for.
[[nodiscard]] std::filesystem::path find_model(const std::filesystem::path& named,
                                               const std::filesystem::path& program_directory);

}  // namespace facepipe::app
