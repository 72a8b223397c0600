// What is known of a model beside its weights: under which licences it stands, and what it proposes
// for options that a user left open, and what its scores mean.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/score_scale.h"
#include "detector/looks.h"

namespace facepipe::detector {

/// Texts are shown as they are; empty ones are unknown.
struct ModelLicence {
  std::string code;
  std::string weights;
  std::string data;                ///< of the pictures of the training
  std::optional<bool> commercial;  ///< whether commercial use is allowed; none: unknown

  friend bool operator==(const ModelLicence&, const ModelLicence&) = default;
};

struct ModelAbout {
  std::string card;  ///< the file of the model's card; empty if it has none
  ModelLicence licence;
  std::optional<float> score;  ///< faces score more than this
  std::optional<float> nms;    ///< the overlap for suppression
  std::optional<Looks> looks;
  /// At this score, the model finds one false positive in each picture, on average. None: unknown,
  /// so it is taken to be CenterFace's.
  std::optional<float> reference_score{};
  std::filesystem::path file{};  ///< the model's own file

  /// Returns what the model's scores mean.
  [[nodiscard]] ScoreScale scale() const {
    return reference_score ? ScoreScale(*reference_score) : ScoreScale();
  }
};

}  // namespace facepipe::detector
