#include "app/review/covering_tracks.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace facepipe::app {
namespace {

constexpr float kCoveredShare = 0.95F;

bool contains(const Box& outer, const Box& inner) {
  const float width = std::min(outer.x2, inner.x2) - std::max(outer.x1, inner.x1);
  const float height = std::min(outer.y2, inner.y2) - std::max(outer.y1, inner.y1);
  return width > 0 && height > 0 &&
         width * height >= kCoveredShare * inner.width() * inner.height();
}

bool covers(const ReviewedTrack& hidden, const ReviewedTrack& suggestion) {
  if (hidden.head.end_pts < suggestion.head.end_pts) return false;
  auto place = hidden.boxes->begin();
  return std::ranges::all_of(*suggestion.boxes, [&](const track::FileBox& inner) {
    place =
        std::ranges::lower_bound(place, hidden.boxes->end(), inner.pts, {}, &track::FileBox::pts);
    return place != hidden.boxes->end() && place->pts == inner.pts &&
           contains(place->box, inner.box);
  });
}

std::vector<const ReviewedTrack*> by_start(const std::map<std::int64_t, ReviewedTrack>& tracks) {
  std::vector<const ReviewedTrack*> found;
  for (const auto& [id, track] : tracks)
    if (track.head.origin == track::TrackOrigin::detector) found.push_back(&track);
  // Hidden tracks come first, so that they are there when a suggestion begins at the same stamp.
  std::ranges::stable_sort(found, [](const ReviewedTrack* a, const ReviewedTrack* b) {
    const auto key = [](const ReviewedTrack& track) {
      return std::pair(track.head.start_pts, track.head.action != track::TrackAction::hide);
    };
    return key(*a) < key(*b);
  });
  return found;
}

}  // namespace

std::map<std::int64_t, std::int64_t> covering_tracks(
    const std::map<std::int64_t, ReviewedTrack>& tracks) {
  std::map<std::int64_t, std::int64_t> found;
  std::vector<const ReviewedTrack*> hidden_now;
  for (const ReviewedTrack* track : by_start(tracks)) {
    if (track->head.action == track::TrackAction::hide) hidden_now.push_back(track);
    if (track->head.action != track::TrackAction::suggest) continue;
    std::erase_if(hidden_now, [&](const ReviewedTrack* hidden) {
      return hidden->head.end_pts < track->head.start_pts;
    });
    const auto by = std::ranges::find_if(
        hidden_now, [&](const ReviewedTrack* hidden) { return covers(*hidden, *track); });
    if (by != hidden_now.end()) found.emplace(track->head.id, (*by)->head.id);
  }
  return found;
}

}  // namespace facepipe::app
