// What of each frame is hidden: as a tracker finds it, or as a file says.
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

/// A box that is hidden, not grown by HideOptions::grow.
struct HiddenArea {
  Box box;
  std::string_view style;  ///< as FileTrack::style; lives as long as the source
  bool by_person = false;
};

/// A frame of which all is known.
struct HiddenFrame {
  bool all = false;  ///< nothing is known of it: it is hidden as a whole
  std::vector<HiddenArea> areas;
  /// Those that were seen, or are in the file, and are hidden: each once, with their tracks. Of a
  /// frame that was not searched those that are filled.
  Detections faces;
  std::vector<std::int64_t> face_tracks;
};

/// What is told of a frame.
struct FrameToHide {
  std::int64_t index = 0;
  double time_s = 0;
  std::int64_t pts = 0;
  bool damaged = false;
  bool searched = true;
  Detections found;  ///< of all scores that tracks need; none where tracks are known
};

/// Frames go in, and come out in their order, at once or later. In two steps, so that one thread
/// can follow a frame's faces while another one still works on the frame before.
class HiddenFrames {
 public:
  virtual ~HiddenFrames() = default;

  /// The first step, of each frame; nothing where tracks are known. Errors: as Tracker.
  /// @param picture   null where the frame is damaged, or where motion isn't looked for
  /// @param compared  as TrackerInput::compared
  [[nodiscard]] virtual track::FollowedFrame follow(
      const FrameToHide& frame, std::shared_ptr<const track::MotionPicture> picture,
      std::optional<track::ComparedPictures> compared) = 0;
  /// The second step, of each in their order: the frames that are complete with it. Errors: as
  /// Tracker.
  [[nodiscard]] virtual std::vector<HiddenFrame> settle(const FrameToHide& frame,
                                                        track::FollowedFrame followed) = 0;
  /// After both.
  [[nodiscard]] virtual std::vector<HiddenFrame> flush() = 0;

  /// After flush(): the tracks, where they were asked for.
  [[nodiscard]] virtual std::shared_ptr<track::TrackFile> tracks() const { return nullptr; }
  /// Tells at the end what a user should know.
  virtual void report(video::Notices& /*notices*/) const {}
  /// Tells at the end which instructions were of use; none where no person has given any.
  [[nodiscard]] virtual std::optional<InstructionUse> use() const { return std::nullopt; }
};

/// An estimator for each step; both outlive the HiddenFrames.
struct MotionOfSteps {
  std::unique_ptr<track::MotionEstimator> follow;
  std::unique_ptr<track::MotionEstimator> settle;
};

/// As a Tracker, from what was found. `motion` outlives it.
/// @param input  of the file that is asked for with HideJob::wants_tracks
[[nodiscard]] std::unique_ptr<HiddenFrames> track_frames(const HideJob& job,
                                                         const MotionOfSteps& motion,
                                                         int most_waiting,
                                                         const track::TrackFileInput& input);

/// Which part of the input a job works on.
struct KnownRange {
  bool from_first = true;  ///< it begins with the first frame
  bool to_last = true;     ///< it ends with the last one
};

/// Hides as HideJob::known says, which outlives it. Errors: Error(usage) where it is of an input of
/// another size or time base.
[[nodiscard]] std::unique_ptr<HiddenFrames> known_frames(const KnownTracks& known,
                                                         const track::TrackFileInput& input,
                                                         const KnownRange& range);

}  // namespace facepipe::pipeline
