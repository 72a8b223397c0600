// Tracks of faces, for hiding them: which boxes of a video's frames belong together, and where a
// face is in frames in which it wasn't detected.
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

/// The most frames that may wait, but of a whole file.
inline constexpr int kMostWaitingFrames = 512;

/// Scores are 0..1, times in seconds by the frames' stamps, so that a video of any or of changing
/// frame rate is treated alike. Where frames are further apart than a time here, it means one
/// frame. The defaults were chosen on clips of 1280 x 720 at 25 frames a second, for CenterFace.
struct TrackerOptions {
  /// A track is hidden once it has a detection of this score, for a large face of a higher one: see
  /// start_score_of().
  float start_score = 0.15F;
  float lone_score = 0.15F;      ///< a detection of this score is hidden in its frame, in any case
  float continue_score = 0.05F;  ///< continues a hidden track
  float doubtful_score = 0.03F;  ///< starts, and continues, a track that is not hidden
  /// With a detection of this score a track is surely a face: it is held longer, and its boxes
  /// cover what its neighbours in time cover, so that those that are a little off don't show its
  /// rim.
  float sure_score = 0.3F;
  /// How long a sure face is hidden before its first detection and after its last. Not longer:
  /// where nothing is detected any more the face has mostly gone, and what comes back is a gap.
  double hold_s = 0.12;
  double weak_hold_s = 0.08;  ///< and one that isn't sure
  double gap_s = 0.5;         ///< how long a face may be missed until it is another track
  double back_s = 0.5;        ///< how long before its first detection weaker ones are looked for
  float grow_per_s = 0.5F;    ///< TrackedBox::grow, for each second since, or until, a sighting
  /// A frame waits until the frame that follows it by this has come, at least for the next one.
  /// Infinity: until flush(). That is the mode for whole files: then gap_s and back_s may be
  /// longer, which otherwise end with the look-ahead, and each track is known to its end when its
  /// frames come out.
  double look_ahead_s = 0.5;
  /// Frames that wait at most, whatever the look-ahead; infinity waits for
  /// all. 1..kMostWaitingFrames.
  int most_waiting = kMostWaitingFrames;
};

/// By what a detection starts a hidden track: start_score, and for a box whose side (the root of
/// its area) is over 40 pixels start_score * (side / 40)^0.3, at most 0.25 where start_score
/// allows. Of false boxes the large cost most each, and large faces score high; of small ones there
/// are so many that less than start_score isn't enough for them either.
[[nodiscard]] float start_score_of(const Box& box, float start_score);

/// Throws Error(usage) for what is not in the ranges above, for times over a minute, but for the
/// look-ahead, and for a continue_score over start_score.
void check_tracker_options(const TrackerOptions& options);

/// What exceeds these is refused, because tracking a part of the faces would show the others. Of
/// doubtful tracks, which hide nothing, none start while there are half as many tracks; what would
/// start them counts for its frame alone.
inline constexpr std::size_t kMostDetections = 4096;                    ///< of a frame
inline constexpr std::size_t kMostTracks = 8192;                        ///< at once
inline constexpr std::size_t kMostWaitingBoxes = std::size_t{1} << 24;  ///< of frames that wait

/// One frame's findings.
struct TrackerInput {
  double time_s = 0;  ///< finite, later than the frame's before
  /// The estimator's. Null where it is damaged: nothing is looked for in it, and the next picture
  /// is compared with the last good one. A picture of another size is a cut.
  std::shared_ptr<const MotionPicture> picture;
  /// After suppression, of all scores from the lowest of the options on; those below, and boxes
  /// that are empty or not finite, are passed over. Null: the detector gave no result, which is
  /// something else than no faces. Read during push() only.
  const Detections* detections = nullptr;
  /// False: nobody has looked for faces in it, and `detections` are not read. Tracks go on through
  /// it, and it counts for none as a frame in which they were missed.
  bool searched = true;
  /// What is between another picture and this one, if somebody has compared them: where that is the
  /// last one pushed, they aren't compared again.
  std::optional<ComparedPictures> compared = std::nullopt;
};

struct TrackerOutput {
  std::vector<TrackedFrame> frames;  ///< in their order, each once
  std::vector<TrackSummary> ended;   ///< by id of those that ended together
  /// Of each detection that was pushed just now the track that has taken it, or kNoTrack. This is
  /// known at once, and the same with any look-ahead.
  std::vector<std::int64_t> taken_by;
};

/// Not thread-safe; different trackers share nothing. Equal input gives equal output, bit for bit.
/// In a crowd several threads of its own share the work.
///
/// For each frame: a cut ends all tracks. Each track's box is moved on (motion.h; by its velocity
/// against the camera where hidden tracks cross). Hidden tracks take detections by matching.h,
/// first those that would start one, then, with the tracks left, those of continue_score; doubtful
/// tracks take from what remains, and what is left after that starts tracks. A doubtful track that
/// takes one that starts a hidden one is hidden from then on, and in all frames that still wait.
/// Then it goes backwards through the frames that wait, in the same way, as long as hold_s allows,
/// to a cut, or as far as back_s. A gap between two sightings is covered twice: linearly between
/// them, and as the box was moved on. To take strong detections first is ByteTrack's (Zhang et al.
/// 2022); the boxes before and behind a detection are what hiding needs on top.
///
/// Memory: the pictures of each frame in back_s, of small luma 0.7 MB at 1080p, for at most 256
/// frames, with what was found in them; of frames that wait besides, only boxes, and of those in
/// gap_s where tracks are that no detection shows. Work on a frame is limited, too: where there
/// are many tracks fewer points of each are followed, and at last the camera's motion alone.
class Tracker {
 public:
  /// `motion` must outlive it, and no other tracker may use it meanwhile. Throws as
  /// check_tracker_options() does.
  explicit Tracker(MotionEstimator& motion, const TrackerOptions& options = {});
  ~Tracker();
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;

  /// The frames that are complete with this one. Errors: as the estimator; Error(internal) for a
  /// time that doesn't follow; Error(device) for more detections, tracks or boxes than the limits
  /// above. After an error it gives nothing more: all calls throw Error(internal).
  [[nodiscard]] TrackerOutput push(TrackerInput input);

  /// All frames and tracks that are left. What is pushed afterwards follows no frame; numbers and
  /// ids go on.
  [[nodiscard]] TrackerOutput flush();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace facepipe::track
