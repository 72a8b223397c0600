// Finds the files of models.
#pragma once

#include <filesystem>
#include <vector>

#include "detector/facts.h"
#include "detector/options.h"

namespace facepipe::app {

/// Returns the folder of the running program.
[[nodiscard]] std::filesystem::path program_directory();

/// Returns the paths at which the default model may be, the preferred path first.
[[nodiscard]] std::vector<std::filesystem::path> default_model_places(
    const std::filesystem::path& program_directory);

/// Returns `named` if it isn't empty; otherwise the value of FACEPIPE_MODEL; otherwise the first of
/// default_model_places() at which there is a file. If `named` is the name of a model that comes
/// with the program (centerface, centerface-hide), and there is no file of this name, only the
/// places of this model count. Doesn't check a file that the user named: the code that reads the
/// file reports what is wrong with it. Throws Error(device) if there is not a file; the error names
/// the places.
[[nodiscard]] std::filesystem::path find_model(const std::filesystem::path& named,
                                               const std::filesystem::path& program_directory);

/// Calls find_model() for all models in `options`, and puts the result in place of each name.
/// Throws the errors of find_model().
void find_models(detector::DetectorOptions& options,
                 const std::filesystem::path& program_directory);

/// Logs which models find none of the wanted classes, so that they aren't used.
/// @param named  has the paths of all models that the user has named
/// @param used   the models that are used
void warn_of_unused_models(const detector::DetectorOptions& named,
                           const std::vector<detector::ModelInfo>& used);

}  // namespace facepipe::app
