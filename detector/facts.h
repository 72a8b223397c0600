// What is told of detectors, whatever they are and whatever device they are on.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/geometry.h"
#include "detector/cnn/model/tiling.h"
#include "detector/options.h"

namespace facepipe::detector {

/// Of a detector that was made for frames of one size.
struct DetectorFacts {
  std::optional<Size> network;   ///< a network's input, padding included; a tile's, if tiled
  std::optional<Size> window;    ///< of a detector that slides one: its pixels at the smallest face
  std::optional<Tiling> tiling;  ///< nullopt where pictures are looked at in one run
};

/// Of all detectors that one factory makes. The hash is SHA-256 in lower-case hexadecimal digits.
class DetectorOrigin {
 public:
  DetectorOrigin(EngineChoice choice, std::string model_kind, std::string model_sha256,
                 bool finds_landmarks, std::string class_name = "face")
      : choice_(std::move(choice)),
        model_kind_(std::move(model_kind)),
        model_sha256_(std::move(model_sha256)),
        finds_landmarks_(finds_landmarks),
        class_name_(std::move(class_name)) {}

  [[nodiscard]] const EngineChoice& choice() const { return choice_; }
  [[nodiscard]] const std::string& model_kind() const { return model_kind_; }  ///< "centerface"
  [[nodiscard]] const std::string& model_sha256() const { return model_sha256_; }
  [[nodiscard]] bool finds_landmarks() const { return finds_landmarks_; }
  /// What is found: "face", but of a detector for something else.
  [[nodiscard]] const std::string& class_name() const { return class_name_; }

 private:
  EngineChoice choice_;
  std::string model_kind_;
  std::string model_sha256_;
  bool finds_landmarks_;
  std::string class_name_;
};

}  // namespace facepipe::detector
