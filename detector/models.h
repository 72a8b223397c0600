// Says with which models a run searches its frames, and which classes they find.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "detector/options.h"

namespace facepipe::detector {

/// The most models of a run. There is a limit because the detectors of all models are in memory at
/// the same time.
inline constexpr std::size_t kMostModels = 8;

/// Returns the options of each model, in the order of the models. DetectorOptions::more_models is
/// empty in them, `classes` has only classes that the model finds, and `models` is the number of
/// models that share the memory. Leaves out models that find none of the wanted classes. Throws
/// Error(usage):
/// * for more than kMostModels models, and for a file that is named twice;
/// * for a card if there are several models;
/// * for a class that no model finds. The message lists the classes that the models find.
/// Throws the errors of class_names().
[[nodiscard]] std::vector<DetectorOptions> models_of(const DetectorOptions& options);

/// Returns the names of all classes that the models of `options` find and don't ignore, each once.
/// Doesn't use DetectorOptions::classes. Throws Error(device) if a model can't be read.
[[nodiscard]] std::vector<std::string> class_names(const DetectorOptions& options);

}  // namespace facepipe::detector
