// Says with which models a run searches its frames, and which classes they find.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "detector/options.h"

namespace facepipe::detector {

/// The most models of a run, because the detectors of all of them are in memory at once.
inline constexpr std::size_t kMostModels = 8;

/// Returns the options of each model by itself, in their order: without more_models, with only
/// those `classes` that the model finds, and with its share of the memory. A model that finds none
/// of the chosen classes is left out, which the log tells. Errors: usage for more than kMostModels,
/// for a file that is named twice, for a card that is named for several models, and for a class
/// that no model finds, with a list of those that they find; as class_names().
[[nodiscard]] std::vector<DetectorOptions> models_of(const DetectorOptions& options);

/// Returns the names of all classes that the models of `options` find and don't ignore, each once.
/// DetectorOptions::classes doesn't matter. Errors: device for a model that can't be read.
[[nodiscard]] std::vector<std::string> class_names(const DetectorOptions& options);

}  // namespace facepipe::detector
