// Finds the default model.
#pragma once

#include <filesystem>
#include <vector>

#include "detector/options.h"

namespace facepipe::app {

/// Returns the folder of the running program.
[[nodiscard]] std::filesystem::path program_directory();

/// Returns the paths at which the default model may be, the preferred path first.
[[nodiscard]] std::vector<std::filesystem::path> default_model_places(
    const std::filesystem::path& program_directory);

/// Returns `named` if it isn't empty; otherwise the value of FACEPIPE_MODEL; otherwise the first of
/// default_model_places() at which there is a file. If `named` is the word centerface and there is
/// no file of this name, only default_model_places() count. Doesn't check a file that the user
/// named: the code that reads the file reports what is wrong with it. Throws Error(device) if there
/// is no file; the error names the places.
[[nodiscard]] std::filesystem::path find_model(const std::filesystem::path& named,
                                               const std::filesystem::path& program_directory);

/// Replaces the names of all models in `options` by what find_model() returns. Errors: the same.
void find_models(detector::DetectorOptions& options,
                 const std::filesystem::path& program_directory);

}  // namespace facepipe::app
