#include "verify/turned.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace facepipe::verify {
namespace {

constexpr float kSeenUpright = 0.3F;  // a usual score

std::int64_t count(const Detections& found) { return static_cast<std::int64_t>(found.size()); }

/// Returns whether the turned detections include a detection that the upright looks miss.
bool shows_more(const Detections& turned, const Detections& upright) {
  return std::ranges::any_of(turned.boxes,
                             [&](const Box& box) { return !is_among(box, upright.boxes); });
}

}  // namespace

TurnedSearch::TurnedSearch(detector::DetectorFactory& detectors)
    : turns_{Turn{Looks({{&detectors, false, 1}})}, Turn{Looks({{&detectors, false, 2}})},
             Turn{Looks({{&detectors, false, 3}})}} {}

Detections TurnedSearch::find(const Frame& frame, double time_s, const Detections& upright,
                              const std::stop_token& stop) {
  const bool all = !last_s_ || time_s - *last_s_ >= kTurnedEvery_s;
  if (all) last_s_ = time_s;
  const ScoreScales& scales = turns_.front().looks.scales();
  const Detections known = scored_over(upright, kSeenUpright, scales);
  if (all) faces_[0] += count(scored_over(upright, detector::kFaceThatCounts, scales));
  Detections found;
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    Turn& turn = turns_[i];
    if (!all && !turn.wanted) continue;
    const Detections turned =
        scored_over(turn.looks.find_in_all_planes(frame, stop), detector::kFaceThatCounts, scales);
    append(found, turned);
    if (!all) continue;
    faces_[i + 1] += count(turned);
    turn.wanted = shows_more(turned, known);
  }
  return found;
}

}  // namespace facepipe::verify
