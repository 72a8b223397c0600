// Hides the faces of frames, once the frames that follow have shown where they are.
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
#include "pipeline/lanes/channel.h"
#include "pipeline/lanes/presentation.h"
#include "pipeline/lanes/track_queue.h"
#include "track/follower.h"
#include "track/motion.h"
#include "track/track_file.h"
#include "video/notices.h"

namespace facepipe::pipeline {

/// Keeps the pictures of frames that wait. Used by one thread.
class PictureKeeper {
 public:
  PictureKeeper() = default;
  virtual ~PictureKeeper() = default;
  PictureKeeper(const PictureKeeper&) = delete;
  PictureKeeper& operator=(const PictureKeeper&) = delete;

  /// Moves the frame into memory that its decoder can do without. Errors: device.
  [[nodiscard]] virtual Frame kept(Frame frame) = 0;
  /// Waits until the frame's samples are there. The memory that it was in then goes back.
  virtual void wait() = 0;
};

/// What hiding does with pixels, on their device. Used by one thread.
class HidingPixels {
 public:
  HidingPixels() = default;
  virtual ~HidingPixels() = default;
  HidingPixels(const HidingPixels&) = delete;
  HidingPixels& operator=(const HidingPixels&) = delete;

  /// These do as FaceHider::hide() and hide_all(), and make the frame writable. Errors: device.
  virtual void hide(Frame& frame, std::span<const Box> faces) = 0;
  virtual void hide_all(Frame& frame) = 0;
};

/// Throws Error(device) if suppression had no room for `candidates` of a frame: there may be faces
/// among them, which nothing would hide.
void refuse_ignored(std::uint32_t candidates);

/// A job has a thread for each: one follows faces, and one decides what is hidden.
enum class HidingStep { follow, decide };

/// What hiding needs from the device of a job's frames. It outlives what it makes, except for
/// frames. Thread-safe. Errors: device.
class HidingDevice {
 public:
  HidingDevice() = default;
  virtual ~HidingDevice() = default;
  HidingDevice(const HidingDevice&) = delete;
  HidingDevice& operator=(const HidingDevice&) = delete;

  [[nodiscard]] virtual std::unique_ptr<PictureKeeper> make_keeper() = 0;
  /// Makes what hides faces in one style.
  [[nodiscard]] virtual std::unique_ptr<HidingPixels> make_pixels(
      const overlay::HideOptions& appearance) = 0;
  /// Makes the estimator of one lane. The job's estimators compare the pictures that it makes.
  [[nodiscard]] virtual std::unique_ptr<track::MotionEstimator> make_lane_motion() = 0;
  /// Makes the estimator of one of the job's two threads.
  [[nodiscard]] virtual std::unique_ptr<track::MotionEstimator> make_motion(HidingStep step) = 0;
};

/// A lane's part of hiding. One thread calls look() for each frame of the lane, and another one
/// calls apply() for each frame that has a verdict. Errors: the device's. Its members are what
/// a frame is hidden with, and the lane's last picture.
class LaneHiding {
 public:
  /// @param setup  of a job that hides; what it refers to, and the other arguments, outlive this
  LaneHiding(const ProcessorSetup& setup, HidingDevice& device, const RegionClock& regions);

  /// Returns what the job needs to know of a frame that was searched. It takes FrameRecord::faces,
  /// which has all scores that tracks need. The frame is then ready to wait: it is no longer in
  /// flight, nor in its decoder's memory. If no video is written, its picture isn't kept.
  [[nodiscard]] TrackQueue::Given look(WorkItem& item);

  /// Hides what the verdict says, or all of a damaged frame. Fills in the frame's place in the
  /// stream, and faces, face_tracks and face_count of the faces that were seen and are hidden.
  /// Error(internal) for another frame's verdict.
  void apply(Verdict verdict, WorkItem& item);

 private:
  void hide(const HiddenFrame& known, const RegionClock::Now& regions, bool damaged, Frame& frame);
  [[nodiscard]] HidingPixels& pixels_for(std::string_view style);
  [[nodiscard]] std::optional<track::ComparedPictures> compared(
      const std::shared_ptr<const track::MotionPicture>& picture);

  const HideJob& job_;
  const bool writes_;  ///< false: faces are only tracked
  const Size picture_;
  HidingDevice& device_;
  const RegionClock& regions_;
  std::unique_ptr<track::MotionEstimator> motion_;  ///< nullptr if tracks are known
  std::shared_ptr<const track::MotionPicture> last_picture_;
  std::unique_ptr<PictureKeeper> keeper_;  ///< nullptr if nothing is written
  std::unique_ptr<HidingPixels> pixels_;   ///< the job's own style
  std::unique_ptr<HidingPixels> region_pixels_;
  std::map<std::string_view, std::unique_ptr<HidingPixels>> styles_;  ///< other tracks'
};

/// The hiding of one job: it knows all frames, in the stream's order. It outlives its lanes' parts.
/// make_lane() is thread-safe.
class Hiding {
 public:
  /// @param setup  of a job that hides
  /// Errors: as Tracker, RegionClock, known_frames() and the device's.
  Hiding(const ProcessorSetup& setup, std::unique_ptr<HidingDevice> device);

  [[nodiscard]] std::unique_ptr<LaneHiding> make_lane(const ProcessorSetup& setup) const {
    return std::make_unique<LaneHiding>(setup, *device_, regions_);
  }

  /// A frame on its way from the thread that follows its faces to the one that decides what is
  /// hidden.
  struct PendingVerdict {
    FrameToHide frame;  ///< without what was found
    track::TrackStep tracks;
    Verdict verdict;  ///< all but what is hidden
  };
  /// Has one producer, which closes it.
  using PendingVerdicts = Channel<PendingVerdict>;

  /// Takes what lanes give, and follows faces, to the stream's end. An error ends it at once.
  /// @param presentation  nullptr if lanes know the frames' place in the stream
  void follow(TrackQueue& queue, Presentation* presentation, PendingVerdicts& pending);
  /// Takes what follow() gives, on another thread, and gives lanes their verdicts. An error of its
  /// own ends it at once. After an error of follow() it works on all that was given, and then ends
  /// without a verdict on what still waits.
  /// @param cut_short  asked at the stream's end: whether there are more frames, which nobody will
  ///                   read. They would have told more about the last frames, which are therefore
  ///                   hidden as a whole.
  void decide(PendingVerdicts& pending, TrackQueue& queue, const std::function<bool()>& cut_short);

  // What follows is for after both.
  /// The tracks, if they were asked for.
  [[nodiscard]] std::shared_ptr<track::TrackFile> tracks() const { return source_->tracks(); }
  /// Tells what a user should know.
  void report(video::Notices& notices) const { source_->report(notices); }
  /// tell_unused(), if the job has worked on all that was asked for.
  void check_instructions(const JobOptions& options, video::Notices& notices) const;

 private:
  [[nodiscard]] PendingVerdict follow(TrackQueue::Given given, Presentation* presentation);
  void answer(std::vector<HiddenFrame> known, TrackQueue& queue);

  const std::unique_ptr<HidingDevice> device_;
  const RegionClock regions_;
  const MotionOfSteps motion_;  ///< nullptr if tracks are known
  const std::unique_ptr<HiddenFrames> source_;
  RegionUse region_use_;
  bool followed_all_ = false;    ///< written before the end of PendingVerdicts, and read after it
  std::deque<Verdict> waiting_;  ///< all but what is hidden
};

}  // namespace facepipe::pipeline
