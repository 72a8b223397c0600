// Describes the licence of a model, for people and for reports.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "detector/facts.h"
#include "detector/model_about.h"

namespace facepipe::app {

/// Returns "weights MIT, code MIT, trained with WIDER FACE", or that the licence is unknown.
[[nodiscard]] std::string licence_text(const detector::ModelLicence& licence);

/// Returns a JSON object with the licence's texts. An unknown text is null. Returns null if all
/// texts are unknown.
[[nodiscard]] nlohmann::ordered_json licence_json(const detector::ModelLicence& licence);

/// Logs a warning if the licence forbids commercial use. Each command must call this function only
/// once for each model.
void warn_of_licence(const std::string& model, const detector::ModelLicence& licence);

/// Calls warn_of_licence() for each model of a run.
/// @param first  the file of the first model
void warn_of_licences(const std::vector<detector::ModelInfo>& models,
                      const std::filesystem::path& first);

}  // namespace facepipe::app
