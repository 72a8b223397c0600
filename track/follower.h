// Decides which detections belong to which track, and where each track is in the newest frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/frame_record.h"
#include "core/geometry.h"
#include "track/motion.h"
#include "track/neighbours.h"
#include "track/similarity.h"
#include "track/track.h"
#include "track/tracker.h"

namespace facepipe::track {

/// Two times count as equal if they differ by at most this many seconds, because time stamps are
/// rounded to their time base.
inline constexpr double kSameTime = 1e-6;

/// Returns TrackedBox::grow of a box, `seconds` after or before a sighting of its track.
[[nodiscard]] inline float grow_after(double seconds, const TrackerOptions& options) {
  return options.grow_per_s * static_cast<float>(seconds);
}

/// Returns how long a track is held after its last sighting, and before its first.
[[nodiscard]] inline double hold_of(bool sure, const TrackerOptions& options) {
  return sure ? options.hold_s : options.weak_hold_s;
}

/// An index that means: there is no such element.
inline constexpr std::uint32_t kNowhere = 0xffffffff;

/// Holds a detection that tracks may take.
struct Sighting {
  Box box;
  float score = 0;            ///< the detector's
  float usual_score = 0;      ///< the same on the usual scale (core/score_scale.h)
  bool starts = false;        ///< it can start a hidden track
  std::size_t detection = 0;  ///< index among its frame's detections
  std::uint16_t found_class = 0;
};

/// Says that a track has taken a detection.
struct SeenTrack {
  /// A small number for the track. No other track gets this number until one frame after this track
  /// has ended.
  std::uint32_t slot = 0;
  /// Index in `missed` of the previous frame, if the track is there.
  std::uint32_t missed = kNowhere;
  std::int64_t id = 0;
  Box box;    ///< the detection
  Box moved;  ///< the track's earlier box, moved to this frame
  float score = 0;
  bool first = false;          ///< the track starts with this detection
  std::uint32_t sighting = 0;  ///< index of the detection among TrackStep::sightings
  bool open = false;           ///< a second look may decide about the track; it isn't hidden yet
  bool covers = false;         ///< a sure face that was also seen in the previous frame
  bool was_hidden = false;     ///< the track was hidden by earlier detections
  bool hidden = false;         ///< the box is hidden
  bool hides = false;          ///< the track is hidden from now on, and wasn't before
  bool sure = false;           ///< the track is sure, with this detection
  std::uint16_t found_class = 0;
};

/// Describes a track that has no detection in this frame. Its box was moved from an earlier frame.
struct MissedTrack {
  std::uint32_t slot = 0;
  /// Index in `missed` of the previous frame, if the track is there.
  std::uint32_t before = kNowhere;
  std::int64_t id = 0;
  Box box;
  float grow = 0;  ///< TrackedBox::grow
  /// If the track is shown (held): its index among the shown tracks of `missed`.
  std::uint32_t held = kNowhere;
};

struct EndedTrack {
  std::uint32_t slot = 0;
  TrackSummary summary;  ///< WaitingFrames corrects its first_frame
};

/// Holds a frame and what it adds to the tracks.
struct TrackStep {
  TrackedFrame frame;                            ///< without boxes
  std::shared_ptr<const MotionPicture> picture;  ///< null if the picture is damaged
  /// Motion from the last good picture. That is not always the picture of the previous frame.
  Similarity camera;
  std::vector<Sighting> sightings;
  Neighbours among;                 ///< boxes of the sightings
  std::vector<SeenTrack> seen;      ///< in the order in which they took detections
  std::vector<MissedTrack> missed;  ///< sorted by id
  /// The earliest time of a last sighting of the tracks in `missed`; infinity if there are none. A
  /// chain of MissedTrack::before that begins in this frame or a later frame never reaches a frame
  /// of this time or earlier.
  double missed_since_s = std::numeric_limits<double>::infinity();
  std::vector<EndedTrack> ended;
  std::int64_t tracks_before = 0;      ///< how many tracks began before this frame
  std::vector<std::int64_t> taken_by;  ///< TrackerOutput::taken_by
};

/// Looks once more at some faces of the frame that is followed. Returns for each box the score of
/// the second look, on the detector's own scale; 0 if the second look finds no face there.
using SecondLook = std::function<std::vector<float>(std::span<const Box> faces)>;

/// This half of a Tracker follows tracks forwards. It needs no result of the other half,
/// WaitingFrames. Not thread-safe.
///
/// With second looks, it looks again at each track that isn't hidden and has a best score between
/// two limits (second_looks.h): at once, and then every 0.1 s. Until then the first look decides.
/// Afterwards, the best score and the best score of all second looks decide together whether the
/// track is hidden. The second looks take at most an eighth of the network's time, besides a few
/// looks at the beginning of each scene (SecondLookBudget). Large boxes come first, because they do
/// the most harm.
///
/// A frame of another scene (TrackedFrame::cut) ends all tracks. What happens from this frame on
/// doesn't depend on the frames before, except for the numbers of frames and tracks.
class Follower {
 public:
  /// See Tracker.
  /// @param scales  of the detections' scores
  Follower(MotionEstimator& motion, const TrackerOptions& options, const ScoreScales& scales);
  ~Follower();
  Follower(Follower&&) noexcept;
  Follower& operator=(Follower&&) noexcept;

  /// Follows the tracks into the next frame. Errors: as Tracker::push(), except for boxes that
  /// wait.
  /// @param second_look  null: the first look decides about all detections
  [[nodiscard]] TrackStep follow(TrackerInput input, const SecondLook& second_look = nullptr);

  /// Ends all remaining tracks, as Tracker::flush() does.
  [[nodiscard]] std::vector<EndedTrack> flush();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace facepipe::track
