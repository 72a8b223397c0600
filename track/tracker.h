// Follows faces, so that they can be hidden. It finds which boxes of a video's frames belong
// together, and where a face is in frames in which it wasn't detected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/detections.h"
#include "core/frame_record.h"
#include "track/motion.h"
#include "track/track.h"

namespace facepipe::track {

/// The largest number of frames that may wait, unless a whole file waits.
inline constexpr int kMostWaitingFrames = 512;

/// Scores are 0..1. Times are in seconds by the frames' time stamps, so that videos of any or of
/// changing frame rate are treated alike. If frames are further apart than one of these times, it
/// means one frame. The defaults were chosen on clips of 1280 x 720 at 25 frames a second, for
/// CenterFace.
struct TrackerOptions {
  /// A track is hidden once it has a detection of this score. A large face needs a higher score:
  /// see start_score_of().
  float start_score = 0.15F;
  float lone_score = 0.15F;      ///< a detection of this score is hidden in its frame in any case
  float continue_score = 0.05F;  ///< continues a hidden track
  float doubtful_score = 0.03F;  ///< starts and continues a track that is not hidden
  /// A track that has a detection of this score is surely a face. It is held longer. Its boxes also
  /// cover what its boxes in neighbouring frames cover, so that boxes that are slightly off don't
  /// show the face's rim.
  float sure_score = 0.3F;
  /// How long a sure face is hidden before its first detection and after its last. It isn't longer,
  /// because a face that isn't detected any more has mostly gone. If it comes back, that is a gap.
  double hold_s = 0.12;
  double weak_hold_s = 0.08;  ///< the same for a face that isn't sure
  double gap_s = 0.5;         ///< how long a face may be missed before it becomes another track
  double back_s = 0.5;      ///< how long before a face's first detection weaker ones are looked for
  float grow_per_s = 0.5F;  ///< TrackedBox::grow for each second since or until a sighting
  /// A frame waits until a frame that is later by this time has come, and at least for the next
  /// frame. With infinity it waits until flush(). That is the mode for whole files. gap_s and
  /// back_s may then be longer, because otherwise they end with the look-ahead. Each track is known
  /// to its end when its frames come out.
  double look_ahead_s = 0.5;
  /// The most frames that wait, whatever the look-ahead is; an infinite look-ahead waits for all.
  /// 1..kMostWaitingFrames.
  int most_waiting = kMostWaitingFrames;
};

/// Returns the score with which a detection starts a hidden track. It is start_score, except for a
/// box whose side (the root of its area) is over 40 pixels. For such a box it is start_score *
/// (side / 40)^0.3, at most 0.25 unless start_score is higher. Large false boxes do the most harm,
/// and large faces score high. Small false boxes are so many that less than start_score isn't
/// enough for small faces either.
[[nodiscard]] float start_score_of(const Box& box, float start_score);

/// Throws Error(usage) if a value is not in the ranges above, if a time except the look-ahead is
/// over a minute, or if continue_score is over start_score.
void check_tracker_options(const TrackerOptions& options);

/// More than these is refused, because tracking only some of the faces would show the others.
/// Doubtful tracks hide nothing, and none starts while there are half as many tracks as allowed. A
/// detection that would start one counts only for its frame.
inline constexpr std::size_t kMostDetections = 4096;  ///< detections in a frame
inline constexpr std::size_t kMostTracks = 8192;      ///< tracks at once
/// Boxes in frames that wait.
inline constexpr std::size_t kMostWaitingBoxes = std::size_t{1} << 24;

struct TrackerInput {
  double time_s = 0;  ///< finite, later than the time of the frame before
  /// The estimator's picture. It is null if the picture is damaged; then nothing is looked for in
  /// it, and the next picture is compared with the last good one. A picture of another size is a
  /// cut.
  std::shared_ptr<const MotionPicture> picture;
  /// Detections after suppression, of all scores from the lowest of the options on. Lower scores
  /// are ignored, and so are boxes that are empty or not finite. Null means that the detector gave
  /// no result, which is different from no faces. Read only during push().
  const Detections* detections = nullptr;
  /// False if nobody has looked for faces in the frame; then `detections` is not read. Tracks go on
  /// through it, and it doesn't count as a frame in which they were missed.
  bool searched = true;
  /// The change from another picture to this one, if somebody has compared them. If the other
  /// picture is the last one pushed, they aren't compared again.
  std::optional<ComparedPictures> compared = std::nullopt;
};

struct TrackerOutput {
  std::vector<TrackedFrame> frames;  ///< in their order, each frame once
  std::vector<TrackSummary> ended;   ///< tracks that end together are sorted by id
  /// For each detection that was just pushed, the track that has taken it, or kNoTrack. This is
  /// known at once, and it is the same with any look-ahead.
  std::vector<std::int64_t> taken_by;
};

/// Tracks the faces of a video. Not thread-safe; different trackers share nothing. Equal input
/// gives equal output, bit for bit. In a crowd several threads of its own share the work.
///
/// For each frame, it does the following. A cut ends all tracks. Each track's box is moved on
/// (motion.h; if hidden tracks cross, by their velocity against the camera). Hidden tracks take
/// detections by matching.h: first detections that would start a hidden track, then the remaining
/// tracks take detections of continue_score. Doubtful tracks take from the rest, and what is left
/// then starts tracks. If a doubtful track takes a detection that starts a hidden one, it is hidden
/// from then on, and in all frames that still wait. Then it goes backwards through the waiting
/// frames in the same way, to a cut, as long as hold_s allows, or as far as back_s. A gap between
/// two sightings is covered twice: linearly between them, and as the box was moved on. Taking
/// strong detections first is the idea of ByteTrack (Zhang et al. 2022). The boxes before and after
/// a detection are what hiding needs in addition.
///
/// Memory: the tracker keeps the pictures of the frames within back_s, for at most 256 frames, with
/// what was found in them. A small luma takes 0.7 MB at 1080p. Of other waiting frames it keeps
/// only boxes, and within gap_s also where tracks are that no detection shows. The work on a frame
/// is limited, too. If there are many tracks, fewer points of each are followed, and in the end
/// only the camera.
class Tracker {
 public:
  /// `motion` must outlive the tracker, and no other tracker may use it meanwhile. Throws as
  /// check_tracker_options() does.
  explicit Tracker(MotionEstimator& motion, const TrackerOptions& options = {});
  ~Tracker();
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;

  /// Takes a frame and returns the frames that are complete now. Errors: those of the estimator;
  /// Error(internal) if the time isn't later; Error(device) if there are more detections, tracks or
  /// boxes than the limits above. After an error, all calls throw Error(internal).
  [[nodiscard]] TrackerOutput push(TrackerInput input);

  /// Returns all remaining frames and tracks. A frame that is pushed afterwards follows no frame.
  /// Numbers and ids go on.
  [[nodiscard]] TrackerOutput flush();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace facepipe::track
