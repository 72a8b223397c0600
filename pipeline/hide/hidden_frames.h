// Declares HiddenFrames, which decides what is hidden in each frame. A tracker finds the boxes, or
// the tracks of a file contain them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/detections.h"
#include "core/geometry.h"
#include "pipeline/hide/instructions.h"
#include "pipeline/job_options.h"
#include "pipeline/track_counts.h"
#include "track/follower.h"
#include "track/motion.h"
#include "track/track_file.h"
#include "video/notices.h"

namespace facepipe::pipeline {

/// A box that is hidden. HideOptions::grow has not been applied to it.
struct HiddenArea {
  Box box;
  std::string_view style;       ///< FileTrack::style; valid while the HiddenFrames object exists
  bool by_person = false;       ///< a person has drawn the box; a detector has not found it
  std::optional<float> grow{};  ///< growth of the box's class; nullopt: the growth of its style
};

/// Says what is hidden in a frame.
struct HiddenFrame {
  bool all = false;  ///< the whole frame is hidden, because its faces aren't known
  std::vector<HiddenArea> areas;
  /// The hidden faces; each face is listed once. With a tracker, these are the faces that were
  /// detected in this frame. If the frame was not searched, they are the faces that the tracker has
  /// filled in. If tracks are known, they are the faces of these tracks.
  Detections faces;
  std::vector<std::int64_t> face_tracks;  ///< the track of each of `faces`
};

/// Describes a frame before its verdict.
struct FrameToHide {
  std::int64_t index = 0;
  double time_s = 0;
  std::int64_t pts = 0;
  bool damaged = false;
  bool searched = true;
  bool begins_next_part = false;  ///< WorkItem::begins_next_part
  Detections found;  ///< detections of all scores that tracks need; empty if tracks are known, and
                     ///< in the second step of a job that follows faces
  track::SecondLook second_look{};  ///< for Follower::follow()
};

/// Decides what is hidden in frames. It takes frames in order, and returns results in the same
/// order, immediately or later. There are two steps, so that one thread can follow the faces of a
/// frame while another thread still decides about the frame before.
class HiddenFrames {
 public:
  virtual ~HiddenFrames() = default;

  /// The first step for each frame: follows the faces of the frame. Does nothing if tracks are
  /// known. Throws the errors of Tracker.
  /// @param picture   nullptr if the frame is damaged, or if no motion is estimated
  /// @param compared  see TrackerInput::compared
  [[nodiscard]] virtual track::TrackStep follow(
      FrameToHide& frame, std::shared_ptr<const track::MotionPicture> picture,
      std::optional<track::ComparedPictures> compared) = 0;
  /// The second step for each frame, in order. Returns all results that are complete now. These
  /// results can belong to this frame or to earlier frames. Throws the errors of Tracker.
  [[nodiscard]] virtual std::vector<HiddenFrame> decide(const FrameToHide& frame,
                                                        track::TrackStep followed) = 0;
  /// The second step for the frame that begins the next part: the first frame of a scene. Returns
  /// the remaining frames, which are all before it. No frame may follow.
  [[nodiscard]] virtual std::vector<HiddenFrame> hand_over(track::TrackStep followed) = 0;
  /// Must be called after both steps of the last frame. Returns the remaining frames.
  [[nodiscard]] virtual std::vector<HiddenFrame> flush() = 0;

  /// Returns the tracks if HideJob::wants_tracks is set. Call it after flush().
  [[nodiscard]] virtual std::shared_ptr<track::TrackFile> tracks() const { return nullptr; }
  /// Returns what an edit file of several parts needs to know of this part. Call it once, after
  /// flush(), if HideJob::collects_tracks is set.
  [[nodiscard]] virtual track::CollectedTracks collected() { return {}; }
  /// Returns how many numbers of tracks the job has used. Call it after flush().
  [[nodiscard]] virtual std::int64_t tracks_begun() const { return 0; }
  /// Returns how many tracks there are. Call it after flush().
  [[nodiscard]] virtual TrackCounts track_counts() const = 0;
  /// Adds the notices that the user should get at the end.
  virtual void report(video::Notices& /*notices*/) const {}
  /// Returns which instructions of an edit file by a person were used. Call it after the last
  /// frame. Returns nullopt if there is no such file.
  [[nodiscard]] virtual std::optional<InstructionUse> use() const { return std::nullopt; }
};

/// Makes the builder of a job's edit file.
/// @param input  describes the input in the file
[[nodiscard]] track::TrackFileBuilder make_builder(const HideJob& job, const ScoreScales& scales,
                                                   const track::TrackFileInput& input);

/// The motion estimators of the two steps. The estimators outlive the HiddenFrames.
struct MotionOfSteps {
  std::unique_ptr<track::MotionEstimator> follow;
  std::unique_ptr<track::MotionEstimator> decide;
};

/// Makes a HiddenFrames that tracks the detected faces. `job` and `motion` outlive it.
/// @param input  describes the input in the file of tracks (HideJob::wants_tracks)
[[nodiscard]] std::unique_ptr<HiddenFrames> track_frames(const HideJob& job,
                                                         const ScoreScales& scales,
                                                         const MotionOfSteps& motion,
                                                         int most_waiting,
                                                         const track::TrackFileInput& input);

/// Says which part of the input a job works on.
struct KnownRange {
  bool from_first = true;  ///< the part begins with the input's first frame
  bool to_last = true;     ///< the part ends with the input's last frame
};

/// Makes a HiddenFrames that hides nothing, and returns the detections of each frame as its faces:
/// for a job that only searches (PartJob::searches_only).
[[nodiscard]] std::unique_ptr<HiddenFrames> found_frames();

/// Makes a HiddenFrames that hides the boxes of the tracks in `known`, which outlives it. Errors:
/// Error(usage) if `known` was made for an input of another size or time base.
[[nodiscard]] std::unique_ptr<HiddenFrames> known_frames(const KnownTracks& known,
                                                         const track::TrackFileInput& input,
                                                         const KnownRange& range);

}  // namespace facepipe::pipeline
