#include "track/matching.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace facepipe {
namespace {

constexpr float kLeastIou = 0.2F;
constexpr float kMostDistance = 0.6F;
constexpr float kMostRatio = 2;

}  // namespace

Box joined(const Box& a, const Box& b) {
  return {std::min(a.x1, b.x1), std::min(a.y1, b.y1), std::max(a.x2, b.x2), std::max(a.y2, b.y2)};
}

float iou(const Box& a, const Box& b) {
  const float width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  const float height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  if (!(width > 0) || !(height > 0)) return 0;
  const float common = width * height;
  return common / (a.width() * a.height() + b.width() * b.height() - common);
}

float affinity(const Box& prediction, const Box& detection) {
  const float overlap = iou(prediction, detection);
  if (overlap >= kLeastIou) return 1 + overlap;
  const float side = std::sqrt(prediction.width() * prediction.height());
  const float other = std::sqrt(detection.width() * detection.height());
  const float smaller = std::min(side, other);
  if (!(smaller > 0) || std::max(side, other) >= kMostRatio * smaller) return 0;
  const float x = (prediction.x1 + prediction.x2 - detection.x1 - detection.x2) / 2;
  const float y = (prediction.y1 + prediction.y2 - detection.y1 - detection.y2) / 2;
  const float distance = std::sqrt(x * x + y * y) / smaller;
  return distance < kMostDistance ? 1 - distance : 0;
}

std::vector<Match> match_greedily(std::span<const Box> predictions,
                                  std::span<const Box> detections) {
  struct Pair {
    float affinity;
    Match match;
  };
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const Box& p = predictions[i];
    // Boxes that are further apart than this have no affinity: most pairs of a crowd.
    const float reach = kMostDistance * std::sqrt(p.width() * p.height());
    for (std::size_t j = 0; j < detections.size(); ++j) {
      const Box& d = detections[j];
      if (d.x1 > p.x2 + reach || d.x2 < p.x1 - reach || d.y1 > p.y2 + reach || d.y2 < p.y1 - reach)
        continue;
      if (const float fit = affinity(p, d); fit > 0) pairs.push_back({fit, {i, j}});
    }
  }
  std::ranges::sort(pairs, [](const Pair& a, const Pair& b) {
    return std::tuple(-a.affinity, a.match.prediction, a.match.detection) <
           std::tuple(-b.affinity, b.match.prediction, b.match.detection);
  });
  std::vector<bool> taken(predictions.size());
  std::vector<bool> used(detections.size());
  std::vector<Match> matches;
  for (const Pair& pair : pairs) {
    const auto [i, j] = pair.match;
    if (taken[i] || used[j]) continue;
    taken[i] = used[j] = true;
    matches.push_back(pair.match);
  }
  return matches;
}

}  // namespace facepipe
