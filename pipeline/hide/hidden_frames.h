// Tells what is hidden in each frame: a tracker finds it, or a file says it.
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
#include "track/follower.h"
#include "track/motion.h"
#include "track/track_file.h"
#include "video/notices.h"

namespace facepipe::pipeline {

/// A box that is hidden. HideOptions::grow has not been applied to it.
struct HiddenArea {
  Box box;
  std::string_view style;  ///< as FileTrack::style; lives as long as the source
  bool by_person = false;
};

/// What is hidden in a frame.
struct HiddenFrame {
  bool all = false;  ///< nothing is known of the frame: it is hidden as a whole
  std::vector<HiddenArea> areas;
  /// The hidden faces that were seen, or are in the file: each once. If the frame was not searched,
  /// the hidden faces that were filled in.
  Detections faces;
  std::vector<std::int64_t> face_tracks;  ///< the track of each of them
};

/// What is known of a frame before it is decided what is hidden.
struct FrameToHide {
  std::int64_t index = 0;
  double time_s = 0;
  std::int64_t pts = 0;
  bool damaged = false;
  bool searched = true;
  Detections found;  ///< of all scores that tracks need; none if tracks are known
};

/// Frames go in, and come out in their order, at once or later. This happens in two steps, so that
/// one thread can follow a frame's faces while another one still works on the frame before.
class HiddenFrames {
 public:
  virtual ~HiddenFrames() = default;

  /// The first step, for each frame. It does nothing if tracks are known. Errors: as Tracker.
  /// @param picture   nullptr if the frame is damaged, or if motion isn't looked for
  /// @param compared  as TrackerInput::compared
  [[nodiscard]] virtual track::TrackStep follow(
      const FrameToHide& frame, std::shared_ptr<const track::MotionPicture> picture,
      std::optional<track::ComparedPictures> compared) = 0;
  /// The second step, for each frame in order. Returns the frames that are complete with it.
  /// Errors: as Tracker.
  [[nodiscard]] virtual std::vector<HiddenFrame> decide(const FrameToHide& frame,
                                                        track::TrackStep followed) = 0;
  /// The end, after both steps. Returns the remaining frames.
  [[nodiscard]] virtual std::vector<HiddenFrame> flush() = 0;

  /// The tracks, after flush(), if they were asked for.
  [[nodiscard]] virtual std::shared_ptr<track::TrackFile> tracks() const { return nullptr; }
  /// Tells at the end what a user should know.
  virtual void report(video::Notices& /*notices*/) const {}
  /// Tells at the end which instructions were of use; nullopt if no person has given any.
  [[nodiscard]] virtual std::optional<InstructionUse> use() const { return std::nullopt; }
};

/// An estimator for each step; both outlive the HiddenFrames.
struct MotionOfSteps {
  std::unique_ptr<track::MotionEstimator> follow;
  std::unique_ptr<track::MotionEstimator> decide;
};

/// Makes what hides as a Tracker says, from what was found. `motion` outlives it.
/// @param input  for the file that HideJob::wants_tracks asks for
[[nodiscard]] std::unique_ptr<HiddenFrames> track_frames(const HideJob& job,
                                                         const MotionOfSteps& motion,
                                                         int most_waiting,
                                                         const track::TrackFileInput& input);

/// Which part of the input a job works on.
struct KnownRange {
  bool from_first = true;  ///< it begins with the first frame
  bool to_last = true;     ///< it ends with the last one
};

/// Makes what hides as `known` says, which outlives it. Errors: Error(usage) if `known` belongs to
/// an input of another size or time base.
[[nodiscard]] std::unique_ptr<HiddenFrames> known_frames(const KnownTracks& known,
                                                         const track::TrackFileInput& input,
                                                         const KnownRange& range);

}  // namespace facepipe::pipeline
