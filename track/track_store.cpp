#include "track/track_store.h"

namespace facepipe::track {

Track TrackStore::make(std::int64_t first_frame) {
  Track track;
  track.slot = free_slot();
  track.id = made_++;
  pasts_[track.slot] = {};
  pasts_[track.slot].first_frame = first_frame;
  return track;
}

void TrackStore::end(const Track& track) {
  const TrackPast& past = pasts_[track.slot];
  ended_.push_back({track.slot,
                    {track.id, past.first_frame, past.last_frame, past.sightings, past.best_score,
                     track.hidden, track.found_class}});
}

void TrackStore::end_all() {
  for (const Track& track : tracks_) end(track);
  tracks_.clear();
}

void TrackStore::free_ended() {
  for (const EndedTrack& track : ended_) free_slots_.push_back(track.slot);
  ended_.clear();
}

std::uint32_t TrackStore::free_slot() {
  if (free_slots_.empty()) {
    pasts_.emplace_back();
    return static_cast<std::uint32_t>(pasts_.size() - 1);
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

}  // namespace facepipe::track
