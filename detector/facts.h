// Describes facts about detectors of all kinds and devices.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/geometry.h"
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

/// Holds what all detectors of one factory have in common. The hash is SHA-256 in lower-case
/// hexadecimal digits.
class ModelInfo {
 public:
  ModelInfo(EngineChoice choice, std::string model_kind, std::string model_sha256,
            bool finds_landmarks, std::string class_name = "face", ModelAbout about = {})
      : choice_(std::move(choice)),
        model_kind_(std::move(model_kind)),
        model_sha256_(std::move(model_sha256)),
        finds_landmarks_(finds_landmarks),
        class_name_(std::move(class_name)),
        about_(std::move(about)) {}

  [[nodiscard]] const EngineChoice& choice() const { return choice_; }
  /// Returns the kind of the model, such as "centerface".
  [[nodiscard]] const std::string& model_kind() const { return model_kind_; }
  [[nodiscard]] const std::string& model_sha256() const { return model_sha256_; }
  [[nodiscard]] bool finds_landmarks() const { return finds_landmarks_; }
  /// Returns the class of objects that is found: "face", unless the detector finds something else.
  [[nodiscard]] const std::string& class_name() const { return class_name_; }
  [[nodiscard]] const ModelAbout& about() const { return about_; }

 private:
  EngineChoice choice_;
  std::string model_kind_;
  std::string model_sha256_;
  bool finds_landmarks_;
  std::string class_name_;
  ModelAbout about_;
};

}  // namespace facepipe::detector
