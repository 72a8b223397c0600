#include "track/matching.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <tuple>
#include <vector>

namespace facepipe {
namespace {

constexpr float kLeastIou = 0.2F;
constexpr float kMostDistance = 0.6F;
constexpr float kMostRatio = 2;

/// Detections by where they begin, so that of a crowd only those around a prediction are looked at.
class Neighbours {
 public:
  explicit Neighbours(std::span<const Box> detections) : detections_(detections) {
    for (std::size_t i = 0; i < detections.size(); ++i) {
      const Box& box = detections[i];
      widest_ = std::max(widest_, box.width());
      highest_ = std::max(highest_, box.height());
      ordered_.push_back({band_of(box.y1), box.x1, i});
    }
    std::ranges::sort(ordered_, [](const Entry& a, const Entry& b) {
      return std::tuple(a.band, a.x1, a.index) < std::tuple(b.band, b.x1, b.index);
    });
  }

  /// Calls `look` with the number of each detection that meets `area`, and of none other.
  template <typename Look>
  void around(const Box& area, const Look& look) const {
    const int last = band_of(area.y2);
    for (int band = band_of(area.y1 - highest_); band <= last; ++band) {
      const Entry least{band, area.x1 - widest_, 0};
      auto entry = std::ranges::lower_bound(ordered_, least, [](const Entry& a, const Entry& b) {
        return std::tuple(a.band, a.x1) < std::tuple(b.band, b.x1);
      });
      for (; entry != ordered_.end() && entry->band == band && entry->x1 <= area.x2; ++entry) {
        const Box& box = detections_[entry->index];
        if (box.x2 >= area.x1 && box.y1 <= area.y2 && box.y2 >= area.y1) look(entry->index);
      }
    }
  }

 private:
  struct Entry {
    int band;
    float x1;
    std::size_t index;
  };
  static int band_of(float y) {
    constexpr float kRows = 32;
    constexpr float kLast = 1023;  // all below it together
    return y > 0 ? static_cast<int>(std::min(y / kRows, kLast)) : 0;
  }

  std::span<const Box> detections_;
  std::vector<Entry> ordered_;
  float widest_ = 0;
  float highest_ = 0;
};

}  // namespace

Box joined(const Box& a, const Box& b) {
  return {std::min(a.x1, b.x1), std::min(a.y1, b.y1), std::max(a.x2, b.x2), std::max(a.y2, b.y2)};
}

Box grown(const Box& box, float share) {
  const float x = share * box.width();
  const float y = share * box.height();
  return {box.x1 - x, box.y1 - y, box.x2 + x, box.y2 + y};
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

std::vector<bool> which_cross(std::span<const Box> boxes, float least) {
  const Neighbours neighbours(boxes);
  std::vector<bool> crossing(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i)
    neighbours.around(boxes[i], [&](std::size_t other) {
      if (other != i && iou(boxes[i], boxes[other]) > least) crossing[i] = true;
    });
  return crossing;
}

std::vector<Match> match_greedily(std::span<const Box> predictions,
                                  std::span<const Box> detections) {
  struct Pair {
    float affinity;
    Match match;
  };
  std::vector<Pair> pairs;
  const Neighbours neighbours(detections);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const Box& p = predictions[i];
    // Boxes that are further apart than this have no affinity: most pairs of a crowd.
    const float reach = kMostDistance * std::sqrt(p.width() * p.height());
    neighbours.around({p.x1 - reach, p.y1 - reach, p.x2 + reach, p.y2 + reach}, [&](std::size_t j) {
      const float fit = affinity(p, detections[j]);
      if (fit > 0) pairs.push_back({fit, {i, j}});
    });
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
