// Which detections make up which track, and where each track is in the newest frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/frame_record.h"
#include "core/geometry.h"
#include "track/motion.h"
#include "track/neighbours.h"
#include "track/similarity.h"
#include "track/track.h"
#include "track/tracker.h"

namespace facepipe::track {

/// Stamps are rounded to their time base: so many seconds more are not later.
inline constexpr double kSameTime = 1e-6;

/// TrackedBox::grow so long after a sighting, or before it.
[[nodiscard]] inline float grow_after(double seconds, const TrackerOptions& options) {
  return options.grow_per_s * static_cast<float>(seconds);
}

/// How long a track is held after its last sighting, and before its first.
[[nodiscard]] inline double hold_of(bool sure, const TrackerOptions& options) {
  return sure ? options.hold_s : options.weak_hold_s;
}

/// In place of a position, where there is none.
inline constexpr std::uint32_t kNowhere = 0xffffffff;

/// A detection that is looked at.
struct Sighting {
  Box box;
  float score = 0;
  bool starts = false;        ///< it may start a track that is hidden
  std::size_t detection = 0;  ///< of its frame's
};

/// A track has taken a detection.
struct SeenTrack {
  std::uint32_t slot = 0;  ///< a number that no other track has until a frame after it has ended
  std::uint32_t missed = kNowhere;  ///< its place in `missed` of the frame before, if it has one
  std::int64_t id = 0;
  Box box;    ///< the detection
  Box moved;  ///< where the track was thought to be
  float score = 0;
  bool first = false;       ///< the track starts with it
  bool covers = false;      ///< of a sure face that was seen in the frame before, too
  bool was_hidden = false;  ///< the track, by what it had taken before
  bool hidden = false;      ///< the box
  bool hides = false;       ///< from now on the track is hidden, and wasn't before
  bool sure = false;        ///< the track, by what it has taken so far
};

/// A track that is in this frame by its motion alone.
struct MissedTrack {
  std::uint32_t slot = 0;
  std::uint32_t before = kNowhere;  ///< in `missed` of the frame before
  std::int64_t id = 0;
  Box box;
  float grow = 0;                 ///< TrackedBox::grow
  std::uint32_t held = kNowhere;  ///< its place among those that are shown, if it is
};

struct EndedTrack {
  std::uint32_t slot = 0;
  TrackSummary summary;  ///< by what was known when it was followed
};

/// A frame, and what it adds to the tracks.
struct FollowedFrame {
  TrackedFrame frame;                            ///< without boxes
  std::shared_ptr<const MotionPicture> picture;  ///< null: damaged
  Similarity camera;  ///< from the picture before, which may not be the frame's before
  std::vector<Sighting> sightings;
  Neighbours among;                 ///< the sightings' boxes
  std::vector<SeenTrack> seen;      ///< in the order in which they have taken
  std::vector<MissedTrack> missed;  ///< by id
  /// The earliest last sighting of their tracks; infinity: there are none. No chain of
  /// MissedTrack::before from this frame or a later one reaches a frame of this time or before.
  double missed_since_s = std::numeric_limits<double>::infinity();
  std::vector<EndedTrack> ended;
  std::vector<std::int64_t> taken_by;  ///< TrackerOutput::taken_by
};

/// The half of a Tracker that looks forwards: it needs nothing of what the other half,
/// WaitingFrames, makes of its answers. Not thread-safe.
class Follower {
 public:
  /// As Tracker.
  Follower(MotionEstimator& motion, const TrackerOptions& options);
  ~Follower();
  Follower(Follower&&) noexcept;
  Follower& operator=(Follower&&) noexcept;

  /// Errors: as Tracker::push(), but for boxes that wait.
  [[nodiscard]] FollowedFrame follow(TrackerInput input);

  /// All tracks that are left, as Tracker::flush().
  [[nodiscard]] std::vector<EndedTrack> flush();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace facepipe::track
