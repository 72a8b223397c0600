// Describes facts about detectors of all kinds and devices.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/geometry.h"
#include "core/score_scale.h"
#include "detector/model_about.h"
#include "detector/options.h"
#include "detector/tiling.h"

namespace facepipe::detector {

/// Holds facts about a detector for frames of one size.
struct DetectorFacts {
  /// size of a network's input with padding; if the picture is tiled, of a tile's input
  std::optional<Size> network;
  /// for a detector with a sliding window: the window's size in pixels for the smallest face
  std::optional<Size> window;
  std::optional<Tiling> tiling;  ///< nullopt if one run covers a picture
};

/// Describes a class of objects that a model finds. Optional values are those of the model's card;
/// nullopt if the card has none.
struct FoundClass {
  std::string name = "face";
  std::string model{};             ///< the model's name; the models of a run have different names
  std::optional<float> score{};    ///< an object must score more than this
  std::optional<float> overlap{};  ///< NmsOptions::threshold
  /// The hidden area is so much larger than the box on each side, as a share of the box's size.
  std::optional<float> grow{};
  ScoreScale scale{};  ///< says what the model's scores mean
};

/// Returns what the scores of each class mean.
[[nodiscard]] inline ScoreScales scales_of(std::span<const FoundClass> classes) {
  std::vector<ScoreScale> scales;
  for (const FoundClass& each : classes) scales.push_back(each.scale);
  return ScoreScales(std::move(scales));
}

/// Returns whether output must name the class of each object. Returns false if one model finds
/// all objects, and all of them are faces.
[[nodiscard]] inline bool has_known_classes(std::span<const FoundClass> classes) {
  return classes.size() > 1 || (!classes.empty() && classes.front().name != "face");
}

/// Holds what all detectors of one factory have in common. The hash is SHA-256 in lower-case
/// hexadecimal digits. If a factory searches with several models, classes(), finds_landmarks() and
/// others() are about all models; the other functions are about the first model.
class ModelInfo {
 public:
  ModelInfo(EngineChoice choice, std::string model_kind, std::string model_sha256,
            bool finds_landmarks, std::vector<FoundClass> classes = {FoundClass{}},
            ModelAbout about = {})
      : choice_(std::move(choice)),
        model_kind_(std::move(model_kind)),
        model_sha256_(std::move(model_sha256)),
        finds_landmarks_(finds_landmarks),
        classes_(std::move(classes)),
        about_(std::move(about)) {
    for (FoundClass& each : classes_) {
      each.model = model_kind_;
      each.scale = about_.scale();
    }
  }

  /// Joins the facts about several models, at least one. The classes of the first model come first.
  /// If models have the same name, the names of their files (ModelAbout::file) replace it.
  [[nodiscard]] static ModelInfo joined(const std::vector<ModelInfo>& models);

  [[nodiscard]] const EngineChoice& choice() const { return choice_; }
  /// Returns the kind of the model, such as "centerface".
  [[nodiscard]] const std::string& model_kind() const { return model_kind_; }
  [[nodiscard]] const std::string& model_sha256() const { return model_sha256_; }
  /// Returns whether any model finds landmarks.
  [[nodiscard]] bool finds_landmarks() const { return finds_landmarks_; }
  /// Returns the classes of objects that the models find, at least one. Detections::classes holds
  /// indices in this list.
  [[nodiscard]] const std::vector<FoundClass>& classes() const { return classes_; }
  [[nodiscard]] const ModelAbout& about() const { return about_; }
  /// Returns the models besides the first one.
  [[nodiscard]] const std::vector<ModelInfo>& others() const { return others_; }

 private:
  EngineChoice choice_;
  std::string model_kind_;
  std::string model_sha256_;
  bool finds_landmarks_;
  std::vector<FoundClass> classes_;
  ModelAbout about_;
  std::vector<ModelInfo> others_;
};

/// Returns the facts about each model; the first model comes first.
[[nodiscard]] inline std::vector<ModelInfo> each_of(const ModelInfo& all) {
  std::vector<ModelInfo> models{all};
  models.insert(models.end(), all.others().begin(), all.others().end());
  return models;
}

}  // namespace facepipe::detector
