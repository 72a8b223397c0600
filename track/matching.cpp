#include "track/matching.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "track/neighbours.h"

namespace facepipe {
namespace {

constexpr float kLeastIou = 0.2F;
constexpr float kMostDistance = 0.6F;
constexpr float kMostRatio = 2;

/// Boxes of an IoU of kLeastIou or more have sides of this ratio at most.
constexpr float kMostIouRatio = 2.24F;  // a little over the root of 1 / kLeastIou

float common_area(const Box& a, const Box& b) {
  const float width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  const float height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  return width > 0 && height > 0 ? width * height : 0;
}

float iou(const MeasuredBox& a, const MeasuredBox& b) {
  const float common = common_area(a.box, b.box);
  return common > 0 ? common / (a.area + b.area - common) : 0;
}

/// 0, unless it is under kMostDistance and the sizes are alike.
float closeness(const MeasuredBox& a, const MeasuredBox& b) {
  const float smaller = std::min(a.side, b.side);
  if (!(smaller > 0) || std::max(a.side, b.side) >= kMostRatio * smaller) return 0;
  const float x = (a.box.x1 + a.box.x2 - b.box.x1 - b.box.x2) / 2;
  const float y = (a.box.y1 + a.box.y2 - b.box.y1 - b.box.y2) / 2;
  const float distance = std::sqrt(x * x + y * y) / smaller;
  return distance < kMostDistance ? 1 - distance : 0;
}

/// How far apart, by the sum of their lengths, the centres of boxes of this IoU may be on an axis.
/// What they have in common there is at least iou / (1 + iou) of that sum.
float share_within(float iou) { return 0.5F - iou / (1 + iou); }

/// What holds all boxes that have an affinity with this one.
Nearness near_enough_for(const MeasuredBox& box) {
  return {box.side / kMostIouRatio, box.side * kMostIouRatio, share_within(kLeastIou),
          kMostDistance * box.side};
}

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

struct Pair {
  float affinity;
  Match match;
};

struct IsBetter {
  bool operator()(const Pair& a, const Pair& b) const {
    if (a.affinity != b.affinity) return a.affinity > b.affinity;
    return std::tie(a.match.prediction, a.match.detection) <
           std::tie(b.match.prediction, b.match.detection);
  }
};

/// All of an affinity over 0. The smaller side asks for each of its boxes which of the larger ones
/// are near: to ask takes longer than to be laid out for it.
std::vector<Pair> pairs_of(std::span<const Box> predictions, std::span<const Box> detections) {
  std::vector<Pair> pairs;
  const bool detections_ask = detections.size() < predictions.size();
  const auto& asking = detections_ask ? detections : predictions;
  const Neighbours asked(detections_ask ? predictions : detections);
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i < asking.size(); ++i) {
    const MeasuredBox box = asking[i];
    asked.find(box.box, near_enough_for(box), found);
    for (const std::uint32_t place : found) {
      const auto& [other, number] = asked[place];
      const float fit = detections_ask ? affinity(other, box) : affinity(box, other);
      if (!(fit > 0)) continue;
      pairs.push_back({fit, detections_ask ? Match{number, i} : Match{i, number}});
    }
  }
  return pairs;
}

/// Two that are each other's best are matched whatever becomes of the others. In a crowd most pairs
/// are those, or go with them, and need no sorting.
void leave_out_hopeless(std::vector<Pair>& pairs, std::size_t predictions, std::size_t detections) {
  std::vector<const Pair*> of_prediction(predictions);  // the best
  std::vector<const Pair*> of_detection(detections);
  const auto improve = [](const Pair*& best, const Pair& by) {
    if (best == nullptr || IsBetter{}(by, *best)) best = &by;
  };
  for (const Pair& pair : pairs) {
    improve(of_prediction[pair.match.prediction], pair);
    improve(of_detection[pair.match.detection], pair);
  }
  std::vector<std::size_t> partner_of_prediction(predictions, kNone);
  std::vector<std::size_t> partner_of_detection(detections, kNone);
  for (const Pair* const pair : of_prediction) {
    if (pair == nullptr || of_detection[pair->match.detection] != pair) continue;
    partner_of_prediction[pair->match.prediction] = pair->match.detection;
    partner_of_detection[pair->match.detection] = pair->match.prediction;
  }
  std::erase_if(pairs, [&](const Pair& pair) {
    const auto is_other = [](std::size_t partner, std::size_t than) {
      return partner != kNone && partner != than;
    };
    return is_other(partner_of_prediction[pair.match.prediction], pair.match.detection) ||
           is_other(partner_of_detection[pair.match.detection], pair.match.prediction);
  });
}

}  // namespace

Box joined(const Box& a, const Box& b) {
  return {std::min(a.x1, b.x1), std::min(a.y1, b.y1), std::max(a.x2, b.x2), std::max(a.y2, b.y2)};
}

Box between(const Box& a, const Box& b, float k) {
  return {a.x1 + k * (b.x1 - a.x1), a.y1 + k * (b.y1 - a.y1), a.x2 + k * (b.x2 - a.x2),
          a.y2 + k * (b.y2 - a.y2)};
}

bool is_usable(const Box& box) {
  return std::isfinite(box.x1) && std::isfinite(box.y1) && std::isfinite(box.x2) &&
         std::isfinite(box.y2) && box.x1 < box.x2 && box.y1 < box.y2;
}

bool meets(const Box& box, Size picture) {
  return box.x2 > 0 && box.y2 > 0 && box.x1 < static_cast<float>(picture.width) &&
         box.y1 < static_cast<float>(picture.height);
}

Box grown(const Box& box, float share) {
  const float x = share * box.width();
  const float y = share * box.height();
  return {box.x1 - x, box.y1 - y, box.x2 + x, box.y2 + y};
}

float iou(const Box& a, const Box& b) { return iou(MeasuredBox(a), MeasuredBox(b)); }

float affinity(const MeasuredBox& prediction, const MeasuredBox& detection) {
  const float overlap = iou(prediction, detection);
  return overlap >= kLeastIou ? 1 + overlap : closeness(prediction, detection);
}

std::vector<bool> which_cross(std::span<const Box> boxes, float least) {
  const Neighbours neighbours(boxes);
  Nearness near;
  near.share = share_within(least);
  std::vector<bool> crossing(boxes.size());
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    neighbours.find(boxes[i], near, found);
    crossing[i] = std::ranges::any_of(found, [&](std::uint32_t place) {
      const auto& [box, number] = neighbours[place];
      return number != i && iou(boxes[i], box) > least;
    });
  }
  return crossing;
}

std::vector<Fit> fits_of(const Box& prediction, const Neighbours& detections) {
  const MeasuredBox measured = prediction;
  std::vector<std::uint32_t> found;
  detections.find(prediction, near_enough_for(measured), found);
  std::vector<Fit> fits;
  for (const std::uint32_t place : found) {
    const auto& [box, number] = detections[place];
    const float fit = affinity(measured, box);
    if (fit > 0) fits.push_back({number, fit});
  }
  return fits;
}

std::vector<Match> match_greedily(std::span<const Box> predictions,
                                  std::span<const Box> detections) {
  std::vector<Pair> pairs = pairs_of(predictions, detections);
  leave_out_hopeless(pairs, predictions.size(), detections.size());
  std::ranges::sort(pairs, IsBetter{});
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
