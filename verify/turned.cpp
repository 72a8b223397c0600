#include "verify/turned.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "track/matching.h"

namespace facepipe {
namespace {

constexpr float kSamePlace = 0.3F;    // IoU
constexpr float kSeenUpright = 0.3F;  // a score
constexpr std::size_t kSeveral = 2;

Detections strong(const Detections& found, float score) {
  Detections best;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found.scores[i] >= score) best.push_back(found.boxes[i], found.scores[i]);
  return best;
}

/// How many of `turned` the upright looks miss.
std::size_t missed(const Detections& turned, const Detections& upright) {
  return static_cast<std::size_t>(std::ranges::count_if(turned.boxes, [&](const Box& box) {
    return std::ranges::none_of(upright.boxes,
                                [&](const Box& known) { return iou(box, known) >= kSamePlace; });
  }));
}

}  // namespace

std::optional<int> TurnedFaces::turn() const {
  const auto most = std::ranges::max_element(mostly);
  if (*most == 0) return std::nullopt;
  return static_cast<int>(most - mostly.begin());
}

TurnedLooks::TurnedLooks(DetectorFactory& detectors)
    : turns_{Turn{Looks({{&detectors, false, 1}})}, Turn{Looks({{&detectors, false, 2}})},
             Turn{Looks({{&detectors, false, 3}})}} {}

Detections TurnedLooks::find(const Frame& frame, double time_s, const Detections& upright,
                             const std::stop_token& stop) {
  const bool all = !last_s_ || time_s - *last_s_ >= kTurnedEvery_s;
  if (all) last_s_ = time_s;
  const Detections known = strong(upright, kSeenUpright);
  std::array<std::size_t, 4> more{};
  Detections found;
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    if (!all && !turns_[i].wanted) continue;
    const Detections turned = strong(turns_[i].looks.find_in_all_planes(frame, stop), kTurnedScore);
    for (std::size_t k = 0; k < turned.size(); ++k)
      found.push_back(turned.boxes[k], turned.scores[k]);
    more[i + 1] = missed(turned, known);
    if (all) turns_[i].wanted = more[i + 1] > 0;
  }
  if (all) count(strong(upright, kTurnedScore).size(), more);
  return found;
}

void TurnedLooks::count(std::size_t upright, const std::array<std::size_t, 4>& more) {
  ++faces_.pictures;
  const auto most = std::ranges::max_element(more);
  if (*most >= kSeveral && *most > 2 * upright)
    ++faces_.mostly[static_cast<std::size_t>(most - more.begin())];
}

}  // namespace facepipe
