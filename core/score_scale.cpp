#include "core/score_scale.h"

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

}  // namespace facepipe
