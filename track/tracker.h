// Follows faces, so that they can be hidden. Finds which detections of a video belong to the same
// face, and where the face is in frames in which it wasn't detected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/detections.h"
#include "core/frame_record.h"
#include "core/score_scale.h"
#include "track/motion.h"
#include "track/track.h"

namespace facepipe::track {

/// The largest number of frames that may wait, unless a whole file waits.
inline constexpr int kMostWaitingFrames = 512;

/// Scores are 0..1, on the usual scale (core/score_scale.h). Times are in seconds of the frames'
/// time stamps, so that the frame rate makes no difference. If a time is shorter than the distance
/// of two frames, it means one frame. The defaults were chosen on clips of 1280 x 720 at 25 frames
/// a second, for CenterFace.
struct TrackerOptions {
  /// A track is hidden once it has a detection of at least this score. A large face needs a higher
  /// score: see start_score_of().
  float start_score = 0.15F;
  float lone_score = 0.15F;  ///< a detection of at least this score is always hidden in its frame
  float continue_score = 0.05F;  ///< a detection of at least this score continues a hidden track
  /// A detection of at least this score starts or continues a track that is not hidden.
  float suggest_score = 0.03F;
  /// A track that has a detection of at least this score is surely a face. It is held longer. Its
  /// boxes also cover the area of its boxes in neighbouring frames. Otherwise, a box that is
  /// slightly wrong would show the edge of the face.
  float sure_score = 0.3F;
  /// How long a sure face is hidden before its first detection and after its last detection. A
  /// short time is enough, because most faces that aren't detected any more have left the picture.
  /// If the face is detected again, the frames between are a gap, which is hidden, too.
  double hold_s = 0.12;
  double weak_hold_s = 0.08;  ///< replaces hold_s for a face that isn't sure
  double gap_s = 0.5;   ///< the longest gap; after a longer gap, the face begins another track
  double back_s = 0.5;  ///< for this time before a face's first detection, the tracker looks for
                        ///< weaker detections
  float grow_per_s = 0.5F;  ///< TrackedBox::grow for each second since or until a sighting
  /// A frame waits until a frame has come that is later by this time, and at least for the next
  /// frame. With infinity, which is for whole files, all frames wait until flush(). Then each track
  /// is known completely when its frames are returned. A finite look-ahead limits the effect of
  /// gap_s and back_s, so longer values are useful only with infinity.
  double look_ahead_s = 0.5;
  /// The largest number of frames that wait, 1..kMostWaitingFrames. An infinite look-ahead ignores
  /// this limit.
  int most_waiting = kMostWaitingFrames;
};

/// Returns the score with which a detection starts a hidden track. It is start_score, except for a
/// box whose side (the root of its area) is over 40 pixels. For such a box it is start_score *
/// (side / 40)^0.3, at most 0.25 unless start_score is higher. Large boxes need a higher score,
/// because large false boxes do the most harm, and large faces score high. Small boxes don't get a
/// lower score, because very many of them are false.
[[nodiscard]] float start_score_of(const Box& box, float start_score);

/// Throws Error(usage) if a value is not in the ranges above, if a time except the look-ahead is
/// over a minute, or if continue_score is over start_score.
void check_tracker_options(const TrackerOptions& options);

/// If one of these limits is exceeded, the tracker throws an error. If it tracked only some of the
/// faces, the other faces would be visible. Suggested tracks hide nothing, so they never cause this
/// error: no suggested track starts if there are already kMostTracks / 2 tracks. A detection that
/// would start a suggested track then counts only for its own frame.
inline constexpr std::size_t kMostDetections = 4096;  ///< detections of a class in a frame
inline constexpr std::size_t kMostTracks = 8192;      ///< tracks at the same time
/// Boxes in all waiting frames together.
inline constexpr std::size_t kMostWaitingBoxes = std::size_t{1} << 24;

struct TrackerInput {
  double time_s = 0;  ///< finite, later than the time of the previous frame
  /// The estimator's picture of the frame. It is null if the frame is damaged. Then no motion is
  /// estimated for it, and the next picture is compared with the last good picture. A picture of
  /// another size is a cut.
  std::shared_ptr<const MotionPicture> picture;
  /// Detections after suppression. They must include all scores from the lowest score in the
  /// options on. Lower scores are ignored, and so are boxes that are empty or not finite. Null
  /// means that the detector gave no result, which is different from no faces. Read only during
  /// push().
  const Detections* detections = nullptr;
  /// False if no detector has searched the frame; then `detections` is not read. Tracks continue
  /// through the frame, and it doesn't count as a frame in which they were missed.
  bool searched = true;
  /// The change from an earlier picture to this one, if it is known already. It is used if the
  /// earlier picture is the last picture that was pushed; otherwise push() compares the pictures
  /// itself.
  std::optional<ComparedPictures> compared = std::nullopt;
};

struct TrackerOutput {
  std::vector<TrackedFrame> frames;  ///< the frames that are complete now, in order
  std::vector<TrackSummary> ended;   ///< tracks that end together are sorted by id
  /// For each detection that was just pushed, the track that has taken it, or kNoTrack. This is
  /// known immediately, and it is the same with any look-ahead.
  std::vector<std::int64_t> taken_by;
};

/// Tracks the faces of a video. Not thread-safe; different trackers share nothing. Equal input
/// gives equal output, bit for bit. In a crowd, the tracker uses several threads of its own.
///
/// For each frame:
/// * A cut ends all tracks.
/// * The box of each track is moved (motion.h). If hidden tracks cross, their boxes move with their
///   last velocity relative to the camera.
/// * Tracks take detections of their own class (matching.h). First, hidden tracks take detections
///   that could start a hidden track. The hidden tracks that remain take detections of
///   continue_score. Then suggested tracks take from the rest. To take strong detections first is
///   the idea of ByteTrack (Zhang et al. 2022).
/// * The detections that are left start tracks.
/// * A new or a suggested track can get a detection that starts a hidden track. The track is then
///   hidden from now on, and in all frames that wait. It is also followed backwards through the
///   waiting frames in the same way. It ends there at a cut, after hold_s without a detection, or
///   after back_s.
/// * If a track is seen again after a gap, the frames of the gap get two boxes: a box that is
///   interpolated linearly, and a box that was moved forwards.
///
/// Memory: the tracker keeps the pictures of the frames within back_s, at most of 256 frames, with
/// their detections. A small luma takes 0.7 MB at 1080p. Of other waiting frames it keeps only
/// boxes; within gap_s these include the boxes of tracks that were missed. The work on a frame is
/// limited, too. If there are many tracks, fewer points of each track are followed. If there are
/// very many, their boxes only follow the camera.
class Tracker {
 public:
  /// `motion` must outlive the tracker, and no other tracker may use it at the same time. Throws as
  /// check_tracker_options() does.
  /// @param scales  of the detections' scores
  explicit Tracker(MotionEstimator& motion, const TrackerOptions& options = {},
                   const ScoreScales& scales = {});
  ~Tracker();
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;

  /// Takes the next frame and returns the frames that are complete now. Errors: as MotionEstimator;
  /// Error(internal) if the time isn't later; Error(device) if there are more detections, tracks or
  /// boxes than the limits above. After an error, all calls throw Error(internal).
  [[nodiscard]] TrackerOutput push(TrackerInput input);

  /// Returns all remaining frames and tracks. The next push() begins a new video, but the numbers
  /// of frames and the ids of tracks continue.
  [[nodiscard]] TrackerOutput flush();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace facepipe::track
