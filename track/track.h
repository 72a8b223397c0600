// What tracking tells: the boxes of each frame, and of each track what it was.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/geometry.h"

namespace facepipe::track {

/// How a box of a frame came about.
enum class BoxState : std::uint8_t {
  seen,    ///< detected in this frame
  held,    ///< moved on from a sighting, before or behind: nothing was detected here
  filled,  ///< between two sightings of its track
};

/// Where a face is, or may be, in one frame. A frame may have several boxes of one track: what they
/// cover together is meant.
struct TrackedBox {
  std::int64_t track = 0;
  Box box;         ///< not grown by anything; may pass the picture's edge
  float grow = 0;  ///< share of width and height by which its place is uncertain on each side
  /// The detection's, 0..1. Of a box that is not seen 0, but in a frame that was not searched:
  /// there one that is filled has the mean of the sightings' around it.
  float score = 0;
  BoxState state = BoxState::seen;
  /// To be hidden. Others are doubtful, and only worth a look of a person.
  bool hidden = false;
};

/// A frame whose boxes nothing that follows can change.
struct TrackedFrame {
  std::int64_t number = 0;  ///< 0, 1, 2, ...: in the order in which they were pushed
  double time_s = 0;
  bool cut = false;  ///< nothing goes on from the frame before
  /// Nothing is known of the frame itself: all of it is to be hidden. `boxes` go on through it.
  bool hide_all = false;
  bool searched = true;           ///< TrackerInput::searched
  std::vector<TrackedBox> boxes;  ///< in no order of tracks
};

/// A track that has ended.
struct TrackSummary {
  std::int64_t id = 0;
  std::int64_t first_frame = 0;  ///< first and last frame with a box of it, let out or not
  std::int64_t last_frame = 0;
  std::int64_t sightings = 0;
  float best_score = 0;
  bool hidden = false;  ///< by itself, and not only in frames where a detection alone suffices
};

}  // namespace facepipe::track
