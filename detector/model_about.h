// Describes a model: its licences, what its scores mean, and the values that it proposes for
// options that the user has not set.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "core/score_scale.h"
#include "detector/looks.h"

namespace facepipe::detector {

/// The texts are shown to users unchanged. An empty text means "unknown".
struct ModelLicence {
  std::string code;
  std::string weights;
  std::string data;                ///< licence of the training pictures
  std::optional<bool> commercial;  ///< whether commercial use is allowed; nullopt if unknown

  friend bool operator==(const ModelLicence&, const ModelLicence&) = default;
};

struct ModelAbout {
  std::string card;  ///< the file of the model's card; empty if the model has no card
  ModelLicence licence;
  std::optional<float> score;  ///< proposed score threshold: a face must score more
  std::optional<float> nms;    ///< proposed threshold of the overlap for suppression
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

/// Returns what is known about a model that has no card.
[[nodiscard]] inline ModelAbout about_file(std::filesystem::path file) {
  ModelAbout about;
  about.file = std::move(file);
  return about;
}

}  // namespace facepipe::detector
