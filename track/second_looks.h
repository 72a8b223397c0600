// Contains the rules by which second looks decide about weak tracks. Scores are on the usual scale
// (core/score_scale.h). They were chosen for CenterFace.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/geometry.h"

namespace facepipe::track {

/// A detection of at least this score, and below kAloneScore, is looked at again, unless its track
/// is hidden already.
inline constexpr float kLookedAtScore = 0.05F;
/// A detection of at least this score needs no second look: it starts a hidden track.
inline constexpr float kAloneScore = 0.6F;
/// A track that second looks have not confirmed is looked at again after this time.
inline constexpr double kBetweenLooks_s = 0.1;

/// Returns the logarithm of the odds. Scores near 0 and 1 are moved a little, because the odds of 0
/// and 1 have no logarithm.
[[nodiscard]] inline float logit(float score) {
  constexpr float kLeast = 0.005F;
  const float p = std::clamp(score, kLeast, 1 - kLeast);
  return std::log(p / (1 - p));
}

/// Returns how much two scores of the same thing speak for a face. The second look counts less than
/// the first one. Its weight was chosen on clips whose faces are known.
[[nodiscard]] inline float evidence_of(float best_score, float second_score) {
  constexpr float kWeightOfSecond = 0.7F;
  return logit(best_score) + kWeightOfSecond * logit(second_score);
}

/// Returns how much evidence there must be to hide a box. Large boxes need more, because large
/// false boxes do the most harm.
[[nodiscard]] inline float least_evidence_for(const Box& box) {
  const float side = std::sqrt(box.width() * box.height());
  constexpr float kLeast = -2.93F;
  constexpr float kUsualSide = 40;
  constexpr float kMoreForLarge = 1.2F;  // for each factor of e
  return kLeast + kMoreForLarge * std::log(std::max(side / kUsualSide, 1.0F));
}

/// Returns how bad a wrong decision about a detection is. Large boxes do the most harm.
[[nodiscard]] inline float harm_of(const Box& box, float score) {
  return box.width() * box.height() * score;
}

/// Limits the second looks to a share of the time that the network takes for whole pictures. A
/// scene begins with kMost looks, whatever the scenes before have taken, because scenes are
/// followed independently.
class SecondLookBudget {
 public:
  /// Adds the share of one more picture.
  void add(Size picture) {
    const double pixels = static_cast<double>(picture.width) * picture.height;
    left_ = std::min(left_ + kShare * pixels / kPixelsOfALook, kMost);
  }
  /// Returns how many of the looks that are wanted may be taken, and takes them.
  [[nodiscard]] std::size_t take(std::size_t wanted) {
    const std::size_t taken = std::min(wanted, static_cast<std::size_t>(left_));
    left_ -= static_cast<double>(taken);
    return taken;
  }

 private:
  static constexpr double kShare = 0.125;
  static constexpr double kPixelsOfALook = 160 * 160;
  static constexpr double kMost = 32;
  double left_ = kMost;
};

}  // namespace facepipe::track
