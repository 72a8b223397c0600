#include "verify/turned.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "track/matching.h"

namespace facepipe {
namespace {

constexpr float kSamePlace = 0.3F;    // IoU
constexpr float kSeenUpright = 0.3F;  // a score

Detections strong(const Detections& found, float score) {
  Detections best;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found.scores[i] > score) best.push_back(found.boxes[i], found.scores[i]);
  return best;
}

std::int64_t count(const Detections& found) { return static_cast<std::int64_t>(found.size()); }

/// Whether upright looks miss one of them.
bool shows_more(const Detections& turned, const Detections& upright) {
  return std::ranges::any_of(turned.boxes, [&](const Box& box) {
    return std::ranges::none_of(upright.boxes,
                                [&](const Box& known) { return iou(box, known) >= kSamePlace; });
  });
}

}  // namespace

TurnedSearch::TurnedSearch(DetectorFactory& detectors)
    : turns_{Turn{Looks({{&detectors, false, 1}})}, Turn{Looks({{&detectors, false, 2}})},
             Turn{Looks({{&detectors, false, 3}})}} {}

Detections TurnedSearch::find(const Frame& frame, double time_s, const Detections& upright,
                              const std::stop_token& stop) {
  const bool all = !last_s_ || time_s - *last_s_ >= kTurnedEvery_s;
  if (all) last_s_ = time_s;
  const Detections known = strong(upright, kSeenUpright);
  if (all) faces_[0] += count(strong(upright, kFaceThatCounts));
  Detections found;
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    Turn& turn = turns_[i];
    if (!all && !turn.wanted) continue;
    const Detections turned = strong(turn.looks.find_in_all_planes(frame, stop), kFaceThatCounts);
    for (std::size_t k = 0; k < turned.size(); ++k)
      found.push_back(turned.boxes[k], turned.scores[k]);
    if (!all) continue;
    faces_[i + 1] += count(turned);
    turn.wanted = shows_more(turned, known);
  }
  return found;
}

}  // namespace facepipe
