#include "track/matching.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "track/neighbours.h"

namespace facepipe::track {
namespace {

constexpr float kLeastIou = 0.2F;
constexpr float kMostDistance = 0.6F;
constexpr float kMostRatio = 2;

/// If boxes have an IoU of at least kLeastIou, the ratio of their sides is at most this.
constexpr float kMostIouRatio = 2.24F;  // slightly more than the root of 1 / kLeastIou

float common_area(const Box& a, const Box& b) {
  const float width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  const float height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  return width > 0 && height > 0 ? width * height : 0;
}

float iou(const MeasuredBox& a, const MeasuredBox& b) {
  const float common = common_area(a.box, b.box);
  return common > 0 ? common / (a.area + b.area - common) : 0;
}

/// Returns 1 - d, where d is the distance of the centres divided by the smaller side. Returns 0 if
/// d is not under kMostDistance, or if the sizes differ too much.
float closeness(const MeasuredBox& a, const MeasuredBox& b) {
  const float smaller = std::min(a.side, b.side);
  if (!(smaller > 0) || std::max(a.side, b.side) >= kMostRatio * smaller) return 0;
  const float x = (a.box.x1 + a.box.x2 - b.box.x1 - b.box.x2) / 2;
  const float y = (a.box.y1 + a.box.y2 - b.box.y1 - b.box.y2) / 2;
  const float distance = std::sqrt(x * x + y * y) / smaller;
  return distance < kMostDistance ? 1 - distance : 0;
}

/// Returns the largest distance that the centres of two boxes of this IoU can have on an axis, as a
/// share of the sum of their lengths. The common part is at least iou / (1 + iou) of that sum.
float share_within(float iou) { return 0.5F - iou / (1 + iou); }

/// Returns limits that include all boxes whose affinity with this box is over 0.
Nearness near_enough_for(const MeasuredBox& box) {
  return {box.side / kMostIouRatio, box.side * kMostIouRatio, share_within(kLeastIou),
          kMostDistance * box.side};
}

/// Removes pairs that can't become matches. If a pair is the best pair for both of its boxes, it
/// becomes a match in any case. So the other pairs of these two boxes are removed. In a crowd this
/// leaves few pairs to sort.
void leave_out_hopeless(std::vector<Pair>& pairs, std::size_t predictions, std::size_t detections) {
  std::vector<Rank> of_prediction(predictions);  // best rank of each prediction; box(): detection
  std::vector<Rank> of_detection(detections);    // best rank of each detection; box(): prediction
  for (const Pair& pair : pairs) {
    Rank& best = of_prediction[pair.rank.box()];
    best = std::min(best, Rank(pair.rank.affinity(), pair.detection));
    of_detection[pair.detection] = std::min(of_detection[pair.detection], pair.rank);
  }
  std::erase_if(pairs, [&](const Pair& pair) {
    const std::uint32_t prediction = of_detection[pair.detection].box();
    const std::uint32_t detection = of_prediction[pair.rank.box()].box();
    return (detection != pair.detection && of_detection[detection].box() == pair.rank.box()) ||
           (prediction != pair.rank.box() && of_prediction[prediction].box() == pair.detection);
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

std::vector<bool> which_cross(std::span<const Box> boxes, float least,
                              std::span<const std::uint16_t> classes) {
  const Neighbours neighbours(boxes);
  Nearness near;
  near.share = share_within(least);
  std::vector<bool> crossing(boxes.size());
  std::vector<std::uint32_t> room;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    crossing[i] =
        std::ranges::any_of(neighbours.find(boxes[i], near, room), [&](std::uint32_t place) {
          const auto& [box, number] = neighbours[place];
          const bool alike = classes.empty() || classes[number] == classes[i];
          return number != i && alike && iou(boxes[i], box) > least;
        });
  }
  return crossing;
}

std::vector<Fit> fits_of(const Box& prediction, const Neighbours& detections,
                         std::vector<std::uint32_t>& room) {
  const MeasuredBox measured = prediction;
  std::vector<Fit> fits;
  for (const std::uint32_t place : detections.find(prediction, near_enough_for(measured), room)) {
    const auto& [box, number] = detections[place];
    const float fit = affinity(measured, box);
    if (fit > 0) fits.push_back({number, fit});
  }
  return fits;
}

void add_pairs(std::span<const Box> predictions, std::uint32_t first, const Neighbours& detections,
               std::vector<Pair>& pairs) {
  std::vector<std::uint32_t> room;
  for (std::uint32_t i = 0; i < predictions.size(); ++i) {
    const MeasuredBox box = predictions[i];
    for (const std::uint32_t place : detections.find(box.box, near_enough_for(box), room)) {
      const auto& [other, number] = detections[place];
      const float fit = affinity(box, other);
      if (fit > 0) pairs.push_back({{fit, first + i}, number});
    }
  }
}

std::vector<Match> match_greedily(std::vector<Pair> pairs, std::size_t predictions,
                                  std::size_t detections) {
  leave_out_hopeless(pairs, predictions, detections);
  std::ranges::sort(pairs);
  std::vector<bool> taken(predictions);
  std::vector<bool> used(detections);
  std::vector<Match> matches;
  for (const auto& [rank, detection] : pairs) {
    const std::uint32_t prediction = rank.box();
    if (taken[prediction] || used[detection]) continue;
    taken[prediction] = used[detection] = true;
    matches.push_back({prediction, detection});
  }
  return matches;
}

std::vector<Match> match_greedily(std::span<const Box> predictions,
                                  std::span<const Box> detections) {
  std::vector<Pair> pairs;
  add_pairs(predictions, 0, Neighbours(detections), pairs);
  return match_greedily(std::move(pairs), predictions.size(), detections.size());
}

std::vector<Match> match_greedily(const Detections& predictions, const Detections& detections) {
  std::vector<Pair> pairs;
  add_pairs(predictions.boxes, 0, Neighbours(detections.boxes), pairs);
  std::erase_if(pairs, [&](const Pair& pair) {
    return predictions.class_of(pair.rank.box()) != detections.class_of(pair.detection);
  });
  return match_greedily(std::move(pairs), predictions.size(), detections.size());
}

}  // namespace facepipe::track
