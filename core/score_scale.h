// Compares the scores of different detectors.
//
// A score isn't a probability: at the same score, one network finds more false faces than another.
// facepipe's own thresholds were chosen for CenterFace. For another network they are mapped, so
// that they mean about the same.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/detections.h"

namespace facepipe {

/// At this score, CenterFace finds one false positive in each picture of WIDER FACE, on average.
/// The score of a network with this property is its *reference score*.
inline constexpr float kUsualReferenceScore = 0.21F;

/// Maps scores between a network's own scale and the usual scale, which is CenterFace's.
///
/// With the reference score r and CenterFace's reference score c, the usual score s is the own
/// score
///   s^(log r / log c)              if s <= c, and
///   1 - (1 - s) (1 - r) / (1 - c)  if s >= c.
/// So 0, c and 1 become 0, r and 1, and a higher score stays higher. In between, the curve was
/// compared with the scores at which five networks have as many false positives as CenterFace
/// (docs/models.md).
class ScoreScale {
 public:
  ScoreScale() = default;
  /// @param reference_score  above 0, below 1
  explicit ScoreScale(float reference_score) : reference_(reference_score) {}

  /// Returns the network's own score that means what `usual` means for CenterFace. For CenterFace
  /// this is `usual`, bit for bit.
  [[nodiscard]] float own(float usual) const;

  /// Does the opposite of own().
  [[nodiscard]] float usual(float own) const;

 private:
  float reference_ = kUsualReferenceScore;
};

/// Holds a scale for each class of detections (Detections::classes), because each class is found by
/// one model, and the scales of models differ.
class ScoreScales {
 public:
  ScoreScales() = default;
  /// Gives all classes the same scale.
  /*implicit*/ ScoreScales(ScoreScale all) : all_(all) {}  // NOLINT(google-explicit-constructor)
  /// @param of_classes  one for each class
  explicit ScoreScales(std::vector<ScoreScale> of_classes) : of_classes_(std::move(of_classes)) {}

  [[nodiscard]] const ScoreScale& of(std::uint16_t its_class) const {
    return its_class < of_classes_.size() ? of_classes_[its_class] : all_;
  }

 private:
  ScoreScale all_;
  std::vector<ScoreScale> of_classes_;
};

/// Returns the detections whose score is greater than the score that means `usual_score` for their
/// class.
[[nodiscard]] Detections scored_over(const Detections& found, float usual_score,
                                     const ScoreScales& scales);

}  // namespace facepipe
