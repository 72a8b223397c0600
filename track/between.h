// Finds the faces of frames that were not searched, from the faces of the searched frames around
// them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/detections.h"
#include "track/motion.h"

namespace facepipe::track {

/// Holds a picture and its time, in seconds.
struct TimedPicture {
  double time_s = 0;
  std::shared_ptr<const MotionPicture> picture;  ///< not null
};

struct SearchedFrame {
  TimedPicture at;
  /// Detections after suppression, of all scores. Scores too low for a face are included, because a
  /// face that scores high in one frame and low in the next is there in between. Boxes that are
  /// empty or not finite are ignored.
  Detections found;
};

/// Holds the faces of one frame. For each face it tells from which detections it comes; at most one
/// side has none.
struct FacesBetween {
  Detections faces;
  std::vector<std::optional<std::size_t>> before;  ///< index in SearchedFrame::found
  std::vector<std::optional<std::size_t>> after;
};

/// Finds the faces of the frames between two searched frames, of all scores. Each detection of the
/// first frame moves from picture to picture with its points (MotionEstimator::follow()).
/// match_greedily() decides which detection of the second frame it has become. The rest of the way
/// between the two boxes is spread evenly over the time, so both ends match. If a detection then
/// has no partner, but one of similar size is near, it has moved fast by itself, and goes straight.
/// A detection without any partner moves on, or back, only by its own motion, and its score falls
/// with the time from it. The score of a pair lies between the two scores, nearer to the higher
/// one, because what is seen clearly once is a face. Landmarks keep their place in the box.
///
/// Nothing continues through a cut. As in the tracker, grid_for() bounds the work on a picture.
/// @param between  in order, later than `before` and earlier than `after`
/// @param after    null at the stream's end
/// Errors: those of the estimator.
[[nodiscard]] std::vector<FacesBetween> faces_between(MotionEstimator& motion,
                                                      const SearchedFrame& before,
                                                      std::span<const TimedPicture> between,
                                                      const SearchedFrame* after);

}  // namespace facepipe::track
