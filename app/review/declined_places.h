// Knows where in a video a person has already looked, and has decided that a face may be seen or
// that there is none.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "app/review/reviewed_tracks.h"
#include "core/geometry.h"
#include "track/track_file.h"

namespace facepipe::app {

/// Two boxes show the same place if their intersection over union is at least this.
inline constexpr float kSamePlace = 0.3F;

/// Holds the boxes of tracks that a person has looked at and that stay visible.
class DeclinedPlaces {
 public:
  /// Adds a track if a person has looked at it and it isn't hidden.
  void add(const ReviewedTrack& track);
  /// Returns whether at least half of the boxes are at these places. Returns false if there are no
  /// boxes.
  [[nodiscard]] bool cover(std::span<const track::FileBox> boxes) const;

 private:
  std::map<std::int64_t, std::vector<Box>> boxes_;  // by stamp
};

}  // namespace facepipe::app
