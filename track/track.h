// Holds the results of tracking: the boxes of each frame, and a summary of each track.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/geometry.h"

namespace facepipe::track {

/// Tells how a box came into a frame.
enum class BoxState : std::uint8_t {
  seen,    ///< detected in this frame
  held,    ///< moved here from a sighting before or after; nothing was detected here
  filled,  ///< between two sightings of its track
};

/// Tells where a face is, or may be, in one frame. If a frame has several boxes of one track, the
/// track is all that they cover together.
struct TrackedBox {
  std::int64_t track = 0;
  Box box;         ///< not grown; may extend beyond the picture
  float grow = 0;  ///< share of width and height by which its place is uncertain, on each side
  /// The detection's score, 0..1. A box that is not seen has 0, with one exception: in a frame that
  /// was not searched, a filled box has the mean score of the sightings around it.
  float score = 0;
  BoxState state = BoxState::seen;
  /// True if it must be hidden. Other boxes are doubtful, and only worth a person's look.
  bool hidden = false;
};

/// Holds a frame whose boxes no later frame can change.
struct TrackedFrame {
  std::int64_t number = 0;  ///< 0, 1, 2, ... in the order in which the frames were pushed
  double time_s = 0;
  bool cut = false;  ///< nothing continues from the frame before
  /// True if nothing is known about the frame itself, so that all of it must be hidden. Its `boxes`
  /// continue the tracks.
  bool hide_all = false;
  bool searched = true;           ///< TrackerInput::searched
  std::vector<TrackedBox> boxes;  ///< in any order of tracks
};

/// Describes a track that has ended.
struct TrackSummary {
  std::int64_t id = 0;
  /// The first and the last frame that has a box of it, even if that frame was given out before.
  std::int64_t first_frame = 0;
  std::int64_t last_frame = 0;
  std::int64_t sightings = 0;
  float best_score = 0;
  bool hidden = false;  ///< by itself, and not only in frames where a single detection suffices
};

}  // namespace facepipe::track
