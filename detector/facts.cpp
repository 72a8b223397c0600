#include "detector/facts.h"

#include <algorithm>

namespace facepipe::detector {
namespace {

/// Returns a name for the model that no other model in `models` has: its kind, the name of its
/// file, or the file's path.
std::string name_among(const ModelInfo& model, const std::vector<ModelInfo>& models) {
  const auto others_like = [&](const auto& name_of) {
    return std::ranges::count_if(
        models, [&](const ModelInfo& other) { return name_of(other) == name_of(model); });
  };
  const auto kind = [](const ModelInfo& one) { return one.model_kind(); };
  const auto file = [](const ModelInfo& one) { return one.about().file.filename().string(); };
  if (others_like(kind) == 1) return kind(model);
  return others_like(file) == 1 ? file(model) : model.about().file.string();
}

}  // namespace

ModelInfo ModelInfo::joined(const std::vector<ModelInfo>& models) {
  ModelInfo all = models.front();
  if (models.size() == 1) return all;
  all.classes_.clear();
  for (const ModelInfo& model : models) {
    all.finds_landmarks_ = all.finds_landmarks_ || model.finds_landmarks_;
    for (const FoundClass& each : model.classes_) {
      all.classes_.push_back(each);
      all.classes_.back().model = name_among(model, models);
    }
  }
  all.others_.assign(models.begin() + 1, models.end());
  return all;
}

}  // namespace facepipe::detector
