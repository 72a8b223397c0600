// Joins the facts and the looks of several models. It serves factories in host and in device
// memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "detector/facts.h"

namespace facepipe::detector {

/// Returns the facts of a detector that searches with all models (ModelInfo::joined()). A Factory
/// is a ModelInfo.
template <class Factory>
[[nodiscard]] ModelInfo joined_info(const std::vector<std::unique_ptr<Factory>>& models) {
  std::vector<ModelInfo> infos;
  for (const auto& model : models) infos.emplace_back(*model);
  return ModelInfo::joined(infos);
}

/// Returns a look for each model. The classes of a model follow those of the models before it.
/// @param make_detector  returns the detector of a Factory
template <class Look, class Factory, class MakeDetector>
[[nodiscard]] std::vector<Look> looks_of_models(const std::vector<std::unique_ptr<Factory>>& models,
                                                const MakeDetector& make_detector) {
  std::vector<Look> looks;
  std::uint16_t first_class = 0;
  for (const auto& model : models) {
    looks.push_back({make_detector(*model), false, first_class});
    first_class = static_cast<std::uint16_t>(first_class + model->classes().size());
  }
  return looks;
}

}  // namespace facepipe::detector
