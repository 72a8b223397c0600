// Finds out to which track each drawn face belongs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/frame.h"
#include "core/frame_record.h"
#include "track/motion.h"
#include "track/tracker.h"

namespace facepipe::pipeline {

/// Follows faces like a job that hides them, but returns their tracks at once, without look-ahead.
/// The ids are equal to the ids that a job that hides faces writes to an edit file. Used by one
/// thread.
class FaceTracks {
 public:
  /// @param scales  of the detections' scores
  FaceTracks(track::TrackerOptions options, const ScoreScales& scales,
             std::unique_ptr<track::MotionEstimator> motion);

  /// The track of each face and of each detection; kNoTrack if it has none.
  struct Assignment {
    std::vector<std::int64_t> faces;  ///< by index in FrameRecord::faces
    std::vector<std::int64_t> found;  ///< by index in assign()'s `found`
  };

  /// Assigns tracks to the faces of the next frame. assign() first matches each face with the
  /// detection that overlaps it most. The face gets the track of this detection if the two boxes
  /// are about the same. Errors: as Tracker.
  /// @param frame    on the estimator's device
  /// @param found    the frame's detections of all scores that tracks need
  /// @param picture  the estimator's picture of the frame; nullptr: assign() makes it
  [[nodiscard]] Assignment assign(const Frame& frame, const FrameRecord& record,
                                  const Detections& found,
                                  std::shared_ptr<const track::MotionPicture> picture = nullptr);

 private:
  std::unique_ptr<track::MotionEstimator> motion_;
  track::Tracker tracker_;
};

}  // namespace facepipe::pipeline
