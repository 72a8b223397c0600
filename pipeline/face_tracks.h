// Which track each face that is drawn belongs to.
#pragma once

#include <cstdint>
#include <vector>

#include "core/frame.h"
#include "core/frame_record.h"
#include "track/tracker.h"

namespace facepipe {

/// Follows faces as a job that hides does, and tells their tracks at once: the ids are those that
/// such a job writes to an edit file. Used by one thread.
class FaceTracks {
 public:
  explicit FaceTracks(TrackerOptions options);

  /// The next frame's FrameRecord::face_tracks. A face has the track that took the detection which
  /// fits it best, where that is about the same box: its own, where both were suppressed alike.
  /// Errors: as Tracker.
  /// @param frame  on the CPU
  /// @param found  the frame's detections of all scores that tracks need
  [[nodiscard]] std::vector<std::int64_t> of(const Frame& frame, const FrameRecord& record,
                                             const Detections& found);

 private:
  Tracker tracker_;
};

}  // namespace facepipe
