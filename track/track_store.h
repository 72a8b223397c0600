// Keeps the tracks that a Follower follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/geometry.h"
#include "track/follower.h"

namespace facepipe::track {

/// Holds the data of a track that are read in each frame.
struct Track {
  Box box;            ///< in the newest frame
  double last_s = 0;  ///< time of the last sighting
  std::int64_t id = 0;
  std::uint32_t slot = 0;
  std::uint32_t missed = kNowhere;  ///< index in the newest frame's `missed`
  int misses = 0;                   ///< number of searched frames since the last sighting
  bool hidden = false;
  bool sure = false;
  std::uint16_t found_class = 0;
};

/// Holds the data of a track that are needed only when the track is seen or ends.
struct TrackPast {
  std::int64_t first_frame = 0;
  std::int64_t last_frame = 0;
  std::int64_t sightings = 0;
  float best_score = 0;
  std::optional<float> second_score;  ///< the best score of second looks
  double looked_s = 0;                ///< time of the last second look, if there was one
  Box last;                           ///< the last sighting
  Point velocity;                     ///< relative to the camera, in pixels per second
};

/// Keeps tracks, and gives each of them an id and a slot.
class TrackStore {
 public:
  /// Returns the tracks that have not ended, sorted by id.
  [[nodiscard]] std::vector<Track>& tracks() { return tracks_; }
  [[nodiscard]] const std::vector<Track>& tracks() const { return tracks_; }
  [[nodiscard]] TrackPast& past(std::uint32_t slot) { return pasts_[slot]; }
  [[nodiscard]] const TrackPast& past(std::uint32_t slot) const { return pasts_[slot]; }
  /// Returns a number above each slot.
  [[nodiscard]] std::size_t slots() const { return pasts_.size(); }
  /// Returns the number of tracks that were made so far, which is the next id.
  [[nodiscard]] std::int64_t made() const { return made_; }
  /// Returns the tracks that have ended since the last call of free_ended().
  [[nodiscard]] const std::vector<EndedTrack>& ended() const { return ended_; }

  /// Makes a track, and begins its past. The caller adds the track to tracks(), or ends it at once.
  [[nodiscard]] Track make(std::int64_t first_frame);

  /// Adds a track to ended(). The caller removes it from tracks().
  void end(const Track& track);

  /// Ends all tracks.
  void end_all();

  /// Ends those tracks for which over(track) returns true.
  template <typename Over>
  void end_where(Over over) {
    std::size_t kept = 0;
    for (Track& track : tracks_) {
      if (over(track))
        end(track);
      else
        tracks_[kept++] = track;
    }
    tracks_.resize(kept);
  }

  /// Forgets the tracks in ended(). New tracks may get their slots.
  void free_ended();

 private:
  [[nodiscard]] std::uint32_t free_slot();

  std::vector<Track> tracks_;
  std::vector<TrackPast> pasts_;  ///< by slot
  std::vector<EndedTrack> ended_;
  std::vector<std::uint32_t> free_slots_;
  std::int64_t made_ = 0;
};

}  // namespace facepipe::track
