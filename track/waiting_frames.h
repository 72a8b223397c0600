// Keeps frames that wait for later ones, and the boxes that tracks have in them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "track/follower.h"
#include "track/motion.h"
#include "track/track.h"
#include "track/tracker.h"

namespace facepipe::track {

/// This half of a Tracker looks backwards. It shows tracks in frames, goes back with new ones, and
/// gives frames out when they are complete. Not thread-safe.
class WaitingFrames {
 public:
  /// See Tracker. `motion` may be another estimator than the Follower's, of the same device.
  WaitingFrames(MotionEstimator& motion, const TrackerOptions& options);
  ~WaitingFrames();
  WaitingFrames(WaitingFrames&&) noexcept;
  WaitingFrames& operator=(WaitingFrames&&) noexcept;

  /// Takes the Follower's next frame. Errors: as Tracker::push(), for boxes that wait and for the
  /// estimator.
  [[nodiscard]] TrackerOutput add(TrackStep followed);

  /// Gives out all frames. `ended` are the tracks that the Follower's flush() has ended.
  [[nodiscard]] TrackerOutput flush(const std::vector<EndedTrack>& ended);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace facepipe::track
