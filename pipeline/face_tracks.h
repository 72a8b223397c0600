// Which track each face that is drawn belongs to.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/frame.h"
#include "core/frame_record.h"
#include "track/motion.h"
#include "track/tracker.h"

namespace facepipe::pipeline {

/// Follows faces as a job that hides them does, but tells their tracks at once. The ids are those
/// that such a job writes to an edit file. Used by one thread.
class FaceTracks {
 public:
  FaceTracks(track::TrackerOptions options, std::unique_ptr<track::MotionEstimator> motion);

  /// Tracks by the index of a face or detection; kNoTrack if it has none.
  struct Assignment {
    std::vector<std::int64_t> faces;  ///< FrameRecord::face_tracks
    std::vector<std::int64_t> found;
  };

  /// Assigns tracks to the faces of the next frame. A face has the track that took the detection
  /// which fits it best, if that is about the same box. It is the face's own detection if both were
  /// suppressed alike. Errors: as Tracker.
  /// @param frame    on the estimator's device
  /// @param found    the frame's detections of all scores that tracks need
  /// @param picture  the estimator's picture of the frame, if there is one already
  [[nodiscard]] Assignment assign(const Frame& frame, const FrameRecord& record,
                                  const Detections& found,
                                  std::shared_ptr<const track::MotionPicture> picture = nullptr);

 private:
  std::unique_ptr<track::MotionEstimator> motion_;
  track::Tracker tracker_;
};

}  // namespace facepipe::pipeline
