// Holds the results of tracking: the boxes of each frame, and a summary of each track.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/geometry.h"

namespace facepipe::track {

/// Says how a box of a track was found.
enum class BoxState : std::uint8_t {
  seen,    ///< detected in this frame
  held,    ///< moved here from an earlier or a later sighting; not detected in this frame
  filled,  ///< fills a gap between two sightings of its track
};

/// Says where a face is, or can be, in one frame. If a frame has several boxes of one track, the
/// face is in the area that they cover together.
struct TrackedBox {
  std::int64_t track = 0;
  Box box;         ///< not grown; may extend beyond the picture
  float grow = 0;  ///< uncertainty of the box on each side, as a share of its width and height
  /// The detection's score, 0..1. A box that is not seen has the score 0, with one exception: in a
  /// frame that was not searched, a filled box has the mean score of the sightings around it.
  float score = 0;
  BoxState state = BoxState::seen;
  /// True if the box must be hidden. Other boxes are suggested, and are only shown to a person.
  bool hidden = false;
  std::uint16_t found_class = 0;  ///< the class of the track's detections (Detections::classes)
};

/// Holds a frame whose boxes no later frame can change.
struct TrackedFrame {
  std::int64_t number = 0;  ///< 0, 1, 2, ... in the order in which the frames were pushed
  double time_s = 0;
  bool cut = false;  ///< the frame is the first frame of a scene
  /// True if the whole frame must be hidden, because its picture or its detections are missing. Its
  /// `boxes` only continue the tracks.
  bool hide_all = false;
  bool searched = true;           ///< TrackerInput::searched
  std::vector<TrackedBox> boxes;  ///< not sorted by track
};

/// Describes a track that has ended.
struct TrackSummary {
  std::int64_t id = 0;
  /// The numbers of the first and the last frame with a box of the track. These frames may have
  /// been returned earlier.
  std::int64_t first_frame = 0;
  std::int64_t last_frame = 0;
  std::int64_t sightings = 0;
  float best_score = 0;
  bool hidden = false;  ///< the track is hidden; false if only single detections of it are hidden
                        ///< (TrackerOptions::lone_score)
  std::uint16_t found_class = 0;  ///< the class of its detections
};

}  // namespace facepipe::track
