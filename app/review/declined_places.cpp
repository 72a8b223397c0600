#include "app/review/declined_places.h"

#include <algorithm>

#include "track/matching.h"

namespace facepipe::app {

void DeclinedPlaces::add(const ReviewedTrack& track) {
  if (!track.looked_at || track.head.action == track::TrackAction::hide) return;
  for (const track::FileBox& box : *track.boxes) boxes_[box.pts].push_back(box.box);
}

bool DeclinedPlaces::cover(std::span<const track::FileBox> boxes) const {
  const auto covered = std::ranges::count_if(boxes, [this](const track::FileBox& found) {
    const auto here = boxes_.find(found.pts);
    return here != boxes_.end() && std::ranges::any_of(here->second, [&](const Box& declined) {
             return track::iou(declined, found.box) >= kSamePlace;
           });
  });
  return covered > 0 && 2 * static_cast<std::size_t>(covered) >= boxes.size();
}

}  // namespace facepipe::app
