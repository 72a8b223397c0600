// Faces of frames that were not searched, from those of the frames around them that were.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/detections.h"
#include "track/motion.h"

namespace facepipe::track {

/// A picture and its time, in seconds.
struct TimedPicture {
  double time_s = 0;
  std::shared_ptr<const MotionPicture> picture;  ///< not null
};

/// A frame that was searched.
struct SearchedFrame {
  TimedPicture at;
  /// After suppression, of all scores: also those too low for a face, because one that scores high
  /// in one frame and low in the next is there in between. Boxes that are empty or not finite are
  /// passed over.
  Detections found;
};

/// The faces of one frame, and of each the detections that it comes from: none at most on one side.
struct FacesBetween {
  Detections faces;
  std::vector<std::optional<std::size_t>> before;  ///< in SearchedFrame::found
  std::vector<std::optional<std::size_t>> after;
};

/// The faces of the frames between two that were searched, of all scores. Each detection of the
/// first goes with the motion of its points from picture to picture (MotionEstimator::follow());
/// which of the second it has become match_greedily() says. What is then left between the two boxes
/// is spread evenly over the time between: so both ends are met. What has no partner then, and has
/// one of like size nearby, has moved fast by itself, and goes straight. A detection without a
/// partner goes on, or back, by its motion alone, and its score falls with the time from it. The
/// score of a pair lies between the two, nearer to the higher: what is seen clearly once is a face.
/// Landmarks keep their place in the box.
///
/// Nothing goes through a cut. Work on a picture is bounded as the tracker's is: grid_for().
/// @param between  in their order, later than `before` and earlier than `after`
/// @param after    null at the stream's end
/// Errors: the estimator's.
[[nodiscard]] std::vector<FacesBetween> faces_between(MotionEstimator& motion,
                                                      const SearchedFrame& before,
                                                      std::span<const TimedPicture> between,
                                                      const SearchedFrame* after);

}  // namespace facepipe::track
