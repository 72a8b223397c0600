// Keeps frames that wait for later frames, and adds the boxes of tracks to them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "track/follower.h"
#include "track/motion.h"
#include "track/track.h"
#include "track/tracker.h"

namespace facepipe::track {

/// This half of a Tracker works on waiting frames. It adds the boxes of tracks to them, follows
/// newly hidden tracks backwards, and returns frames when they are complete. Not thread-safe.
class WaitingFrames {
 public:
  /// See Tracker. `motion` may be another estimator than the Follower's, but it must be of the same
  /// device.
  WaitingFrames(MotionEstimator& motion, const TrackerOptions& options);
  ~WaitingFrames();
  WaitingFrames(WaitingFrames&&) noexcept;
  WaitingFrames& operator=(WaitingFrames&&) noexcept;

  /// Takes the Follower's next frame, and returns the frames that are complete now. Errors: as
  /// MotionEstimator; Error(device) if too many boxes wait (kMostWaitingBoxes).
  [[nodiscard]] TrackerOutput add(TrackStep followed);

  /// Returns all remaining frames, and the summaries of `ended`.
  /// @param ended  the result of Follower::flush()
  [[nodiscard]] TrackerOutput flush(const std::vector<EndedTrack>& ended);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace facepipe::track
