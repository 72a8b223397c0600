#include "core/score_scale.h"

#include <algorithm>
#include <cmath>

namespace facepipe {
namespace {

/// Maps a score so that `from` becomes `to`.
float mapped(float given, double from, double to) {
  if (from == to) return given;
  const double score = given;
  if (score >= from) return static_cast<float>(1 - (1 - score) * ((1 - to) / (1 - from)));
  return static_cast<float>(std::pow(score, std::log(to) / std::log(from)));
}

}  // namespace

float ScoreScale::own(float usual) const { return mapped(usual, kUsualReferenceScore, reference_); }

float ScoreScale::usual(float own) const { return mapped(own, reference_, kUsualReferenceScore); }

Detections scored_over(const Detections& found, float usual_score, const ScoreScales& scales) {
  std::uint16_t classes = 1;
  for (const std::uint16_t number : found.classes)
    classes = std::max(classes, static_cast<std::uint16_t>(number + 1));
  std::vector<float> scores;
  for (std::uint16_t number = 0; number < classes; ++number)
    scores.push_back(scales.of(number).own(usual_score));
  return scored_over(found, scores);
}

}  // namespace facepipe
