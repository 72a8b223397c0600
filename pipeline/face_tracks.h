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

/// Follows faces as a job that hides does, and tells their tracks at once: the ids are those that
/// such a job writes to an edit file. Used by one thread.
class FaceTracks {
 public:
  FaceTracks(track::TrackerOptions options, std::unique_ptr<track::MotionEstimator> motion);

  /// By index, or kNoTrack.
  struct Assignment {
    std::vector<std::int64_t> faces;  ///< FrameRecord::face_tracks
    std::vector<std::int64_t> found;
  };

  /// Of the next frame. A face has the track that took the detection which fits it best, where that
  /// is about the same box: its own, where both were suppressed alike. Errors: as Tracker.
  /// @param frame    on the estimator's device
  /// @param found    the frame's detections of all scores that tracks need
  /// @param picture  of the estimator's, if there is one already
  [[nodiscard]] Assignment assign(const Frame& frame, const FrameRecord& record,
                                  const Detections& found,
                                  std::shared_ptr<const track::MotionPicture> picture = nullptr);

 private:
  std::unique_ptr<track::MotionEstimator> motion_;
  track::Tracker tracker_;
};

}  // namespace facepipe::pipeline
