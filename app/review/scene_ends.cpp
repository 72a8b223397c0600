#include "app/review/scene_ends.h"

#include <map>

namespace facepipe::app {
namespace {

/// Counts the tracks that begin and that end at a stamp.
struct Changes {
  int begin = 0;
  int end = 0;
};

}  // namespace

std::set<std::int64_t> scene_ends(const std::vector<track::FileTrack>& tracks) {
  std::map<std::int64_t, Changes> changes;
  for (const track::FileTrack& track : tracks) {
    if (track.origin != track::TrackOrigin::detector) continue;
    ++changes[track.start_pts].begin;
    ++changes[track.end_pts].end;
  }
  std::set<std::int64_t> ends;
  int going_on = 0;
  for (const auto& [pts, now] : changes) {
    going_on += now.begin - now.end;
    if (going_on == 0 && now.end >= kLeastTracksAtSceneEnd) ends.insert(pts);
  }
  return ends;
}

}  // namespace facepipe::app
