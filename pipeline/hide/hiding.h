// Hides the faces of frames, once the frames that follow have told where they are.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/frame.h"
#include "pipeline/backend.h"
#include "pipeline/frame_processor.h"
#include "pipeline/hide/hidden_frames.h"
#include "pipeline/hide/instructions.h"
#include "pipeline/hide/regions.h"
#include "pipeline/job_options.h"
#include "pipeline/job_result.h"
#include "pipeline/lanes/channel.h"
#include "pipeline/lanes/presentation.h"
#include "pipeline/lanes/track_queue.h"
#include "track/motion.h"

namespace facepipe::pipeline {

/// Keeps the pictures of frames that wait. Used by one thread.
class PictureKeeper {
 public:
  PictureKeeper() = default;
  virtual ~PictureKeeper() = default;
  PictureKeeper(const PictureKeeper&) = delete;
  PictureKeeper& operator=(const PictureKeeper&) = delete;

  /// The frame, in memory that its decoder can do without while it waits. Its samples are there,
  /// and what it was in goes back, with the next wait(). Errors: device.
  [[nodiscard]] virtual Frame kept(Frame frame) = 0;
  virtual void wait() = 0;
};

/// What hiding does with pixels, where they are. Used by one thread.
class HidingPixels {
 public:
  HidingPixels() = default;
  virtual ~HidingPixels() = default;
  HidingPixels(const HidingPixels&) = delete;
  HidingPixels& operator=(const HidingPixels&) = delete;

  /// As FaceHider::hide() and hide_all(); they make the frame writable. Errors: device.
  virtual void hide(Frame& frame, std::span<const Box> faces) = 0;
  virtual void hide_all(Frame& frame) = 0;
};

/// Throws Error(device) where suppression had no room for `candidates` of a frame: there may be
/// faces among them, which nothing would hide.
void refuse_ignored(std::uint32_t candidates);

/// A job has a thread for each: faces are followed, and what is hidden is settled.
enum class HidingStep { follow, settle };

/// What hiding needs of the device of a job's frames. Outlives what it makes, but for frames.
/// Thread-safe. Errors: device.
class HidingDevice {
 public:
  HidingDevice() = default;
  virtual ~HidingDevice() = default;
  HidingDevice(const HidingDevice&) = delete;
  HidingDevice& operator=(const HidingDevice&) = delete;

  [[nodiscard]] virtual std::unique_ptr<PictureKeeper> make_keeper() = 0;
  /// What hides in one style.
  [[nodiscard]] virtual std::unique_ptr<HidingPixels> make_pixels(
      const overlay::HideOptions& look) = 0;
  /// For one lane: what it looks at the job's estimators compare, too.
  [[nodiscard]] virtual std::unique_ptr<track::MotionEstimator> make_looker() = 0;
  /// For one of the job's two threads.
  [[nodiscard]] virtual std::unique_ptr<track::MotionEstimator> make_motion(HidingStep step) = 0;
};

/// A lane's part of hiding. look() is called by one thread with each frame of the lane, settle() by
/// another one with each that has a verdict. Errors: the device's.
class LaneHiding {
 public:
  /// @param setup  of a job that hides; what it refers to, and the rest, outlive this
  LaneHiding(const ProcessorSetup& setup, HidingDevice& device, const RegionClock& regions);

  /// What the job needs to know of a frame that was searched: FrameRecord::faces, of all scores
  /// that tracks need, goes with it. The frame is then ready to wait: it is no longer in flight,
  /// nor in its decoder's memory; where no video is written, no picture is kept of it.
  [[nodiscard]] TrackQueue::Given look(WorkItem& item);

  /// Hides what is to be hidden of the frame, and fills in its place in the stream, and faces,
  /// face_tracks and face_count of those that were seen and are hidden. A damaged frame is hidden
  /// as a whole. Error(internal) for another frame's verdict.
  void settle(Verdict verdict, WorkItem& item);

 private:
  void hide(const HiddenFrame& known, const RegionClock::Now& regions, bool damaged, Frame& frame);
  [[nodiscard]] HidingPixels& pixels_for(std::string_view style);
  [[nodiscard]] std::optional<track::ComparedPictures> compared(
      const std::shared_ptr<const track::MotionPicture>& picture);

  const HideJob& job_;
  const bool writes_;  ///< else faces are only tracked
  const Size picture_;
  HidingDevice& device_;
  const RegionClock& regions_;
  std::unique_ptr<track::MotionEstimator> looker_;  ///< null where tracks are known
  std::shared_ptr<const track::MotionPicture> last_picture_;
  std::unique_ptr<PictureKeeper> keeper_;  ///< null where nothing is written
  std::unique_ptr<HidingPixels> pixels_;   ///< the job's own style
  std::unique_ptr<HidingPixels> region_pixels_;
  std::map<std::string_view, std::unique_ptr<HidingPixels>> styles_;  ///< other tracks'
};

/// Hiding of one job: what is known of all frames, in the stream's order. Outlives its lanes'
/// parts. make_lane() is thread-safe.
class Hiding {
 public:
  /// @param setup  of a job that hides
  /// Errors: as Tracker, RegionClock, known_frames() and the device's.
  Hiding(const ProcessorSetup& setup, std::unique_ptr<HidingDevice> device);

  [[nodiscard]] std::unique_ptr<LaneHiding> make_lane(const ProcessorSetup& setup) const {
    return std::make_unique<LaneHiding>(setup, *device_, regions_);
  }

  /// A frame on its way from the thread that follows its faces to that which settles what is
  /// hidden.
  struct Followed {
    FrameToHide frame;  ///< without what was found
    track::FollowedFrame tracks;
    Verdict verdict;  ///< all but what is hidden
  };
  /// Of one producer, which closes it.
  using FollowedFrames = Channel<Followed>;

  /// To the stream's end: takes what lanes give, and follows faces. Of an error it ends at once.
  /// @param presentation  where lanes don't know the frames' place in the stream; else null
  void follow(TrackQueue& queue, Presentation* presentation, FollowedFrames& followed);
  /// Beside it, on another thread, to the end of what it gives: gives lanes their verdicts. Of an
  /// error of its own it ends at once, of one of follow() after what that has given: then what has
  /// no verdict yet is not told.
  /// @param cut_short  asked at the stream's end: whether there are more frames, which nobody will
  ///                   read. The last ones, of which those would have told more, are hidden as a
  ///                   whole then.
  void settle(FollowedFrames& followed, TrackQueue& queue, const std::function<bool()>& cut_short);

  /// After both: fills in the tracks, and tells what a user should know.
  void report(JobResult& result, video::Notices& notices) const;
  /// After both, where the job has worked on all that was asked for: as tell_unused().
  void check_instructions(const JobOptions& options, video::Notices& notices) const;

 private:
  [[nodiscard]] Followed follow(TrackQueue::Given given, Presentation* presentation);
  void tell(std::vector<HiddenFrame> known, TrackQueue& queue);

  const std::unique_ptr<HidingDevice> device_;
  const RegionClock regions_;
  const MotionOfSteps motion_;  ///< null where tracks are known
  const std::unique_ptr<HiddenFrames> source_;
  RegionUse region_use_;
  bool followed_all_ = false;    ///< told by the end of FollowedFrames
  std::deque<Verdict> waiting_;  ///< all but what is hidden
};

}  // namespace facepipe::pipeline
