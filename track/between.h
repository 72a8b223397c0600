// Finds the faces of frames that were not searched, from the faces of the searched frames around
// them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/detections.h"
#include "core/score_scale.h"
#include "track/motion.h"

namespace facepipe::track {

/// Holds a picture and its time, in seconds.
struct TimedPicture {
  double time_s = 0;
  std::shared_ptr<const MotionPicture> picture;  ///< not null
};

struct SearchedFrame {
  TimedPicture at;
  /// Detections after suppression, of all scores. Low scores are included: if a face scores high in
  /// one searched frame and low in the other, it is also in the frames between. Boxes that are
  /// empty or not finite are ignored.
  Detections found;
};

/// Holds the faces of one frame. `before` and `after` name the detections that each face comes
/// from. At most one of the two is nullopt.
struct FacesBetween {
  Detections faces;
  std::vector<std::optional<std::size_t>> before;  ///< index in SearchedFrame::found
  std::vector<std::optional<std::size_t>> after;
};

/// Finds the faces, with any score, in the frames between two searched frames:
/// * Each detection of the first frame moves from picture to picture with its points
///   (MotionEstimator::follow()). In the second frame, match_greedily() finds the partner of the
///   detection, which must be of the same class. The distance that remains between the two boxes is
///   spread evenly over the time, so the boxes match both detections.
/// * A detection without a partner can still be near a detection of similar size: then the face has
///   moved too fast for its points. These two become a pair, and the box moves on a straight line.
/// * A detection that has no partner at all moves only with its points, forwards or backwards. Its
///   score falls with the time from its frame.
/// * The score of a pair lies between its two scores. It is nearer to the higher score, because a
///   box that was detected clearly once is a face.
/// * Landmarks keep their place in the box.
///
/// Nothing continues through a cut. As in the tracker, grid_for() limits the work on a picture.
/// @param scale    of the detections' scores
/// @param between  in order, later than `before` and earlier than `after`
/// @param after    null at the stream's end
/// Errors: as MotionEstimator.
[[nodiscard]] std::vector<FacesBetween> faces_between(MotionEstimator& motion,
                                                      const SearchedFrame& before,
                                                      std::span<const TimedPicture> between,
                                                      const SearchedFrame* after,
                                                      const ScoreScales& scale = {});

}  // namespace facepipe::track
