// Hides the faces of frames. Later frames help to find faces, so frames must wait.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
#include "pipeline/parts/searched_frames.h"
#include "track/follower.h"
#include "track/motion.h"
#include "track/track_file.h"
#include "video/notices.h"

namespace facepipe::pipeline {

/// Keeps the pictures of frames that wait for their verdict. Used by one thread.
class PictureKeeper {
 public:
  PictureKeeper() = default;
  virtual ~PictureKeeper() = default;
  PictureKeeper(const PictureKeeper&) = delete;
  PictureKeeper& operator=(const PictureKeeper&) = delete;

  /// Moves the frame out of its decoder's memory if the decoder needs this memory again. Errors:
  /// device.
  [[nodiscard]] virtual Frame kept(Frame frame) = 0;
  /// Waits until the samples of the last kept() frame are copied. Then the decoder can use its
  /// memory again.
  virtual void wait() = 0;
};

/// Hides faces in a frame's pixels, on the frame's device. Used by one thread.
class HidingPixels {
 public:
  HidingPixels() = default;
  virtual ~HidingPixels() = default;
  HidingPixels(const HidingPixels&) = delete;
  HidingPixels& operator=(const HidingPixels&) = delete;

  /// hide() and hide_all() make the frame writable. Then they do the same as FaceHider::hide() and
  /// overlay::hide_all(). Errors: device.
  virtual void hide(Frame& frame, std::span<const Box> faces) = 0;
  virtual void hide_all(Frame& frame) = 0;
};

/// Lets a detector look again at faces of frames. Its functions may be called by different threads,
/// but not at the same time.
class SecondLooker {
 public:
  SecondLooker() = default;
  virtual ~SecondLooker() = default;
  SecondLooker(const SecondLooker&) = delete;
  SecondLooker& operator=(const SecondLooker&) = delete;

  /// Returns the scores of second looks (track::SecondLook). Errors: device; throws Stopped.
  [[nodiscard]] virtual std::vector<float> scores_of(const Frame& frame,
                                                     std::span<const Box> faces) = 0;
};

/// Throws Error(device) unless `candidates` is 0.
/// @param candidates  number of candidates of a frame for which suppression had no room; some of
///                    them may be faces, which would not be hidden
void refuse_ignored(std::uint32_t candidates);

/// The steps of HiddenFrames. A job has a thread for each of them.
enum class HidingStep { follow, decide };

/// Makes the objects for hiding that depend on the device of a job's frames. It outlives the
/// objects that it makes, but frames may outlive it. Thread-safe. Errors: device.
class HidingDevice {
 public:
  HidingDevice() = default;
  virtual ~HidingDevice() = default;
  HidingDevice(const HidingDevice&) = delete;
  HidingDevice& operator=(const HidingDevice&) = delete;

  [[nodiscard]] virtual std::unique_ptr<PictureKeeper> make_keeper() = 0;
  /// Makes an object that looks again at faces in the job's frames; nullptr if the device or the
  /// model has no second looks.
  [[nodiscard]] virtual std::shared_ptr<SecondLooker> make_second_looker() { return nullptr; }
  /// Makes an object that hides faces in one style.
  [[nodiscard]] virtual std::unique_ptr<HidingPixels> make_pixels(
      const overlay::HideOptions& appearance) = 0;
  /// Makes the estimator of one lane. The estimators of the job's two threads can compare pictures
  /// that this estimator has made.
  [[nodiscard]] virtual std::unique_ptr<track::MotionEstimator> make_lane_motion() = 0;
  /// Makes the estimator of one of the job's two threads.
  [[nodiscard]] virtual std::unique_ptr<track::MotionEstimator> make_motion(HidingStep step) = 0;
};

/// Hides faces in the frames of one lane. One thread calls look() for each frame of the lane, and
/// another thread calls apply() for each frame that has a verdict. Throws the errors of
/// HidingDevice and SearchedFrames. Its members are the objects that hide, and the lane's last
/// picture.
class LaneHiding {
 public:
  /// @param setup  for a job that hides faces. The references in `setup` and the other arguments
  ///               must outlive this object.
  LaneHiding(const ProcessorSetup& setup, HidingDevice& device, const RegionClock& regions);

  /// Call this function when the detector has finished with the frame. Returns the tracker's input.
  /// Moves the detections of all scores from FrameRecord::faces into this input. Moves the picture
  /// out of the decoder's memory, so that the frame can wait, and ends the frame's time in flight.
  /// If no video is written, the picture is kept only for second looks.
  [[nodiscard]] TrackQueue::Given look(WorkItem& item);

  /// Hides what the verdict says. If the frame is damaged, hides the whole frame. Fills in the
  /// record: index, time, faces, face_tracks and face_count. Throws Error(internal) if the verdict
  /// belongs to another frame.
  void apply(Verdict verdict, WorkItem& item);

 private:
  void hide(const HiddenFrame& known, const RegionClock::Now& regions, bool damaged, Frame& frame);
  /// A style, and the growth that replaces the style's own.
  using GrownStyle = std::pair<std::string_view, std::optional<float>>;
  [[nodiscard]] HidingPixels& pixels_for(const GrownStyle& look);
  [[nodiscard]] std::optional<track::ComparedPictures> compared(
      const std::shared_ptr<const track::MotionPicture>& picture);

  void take_searched(WorkItem& item);

  const HideJob& job_;
  const bool writes_;  ///< false: faces are only tracked
  const Size picture_;
  HidingDevice& device_;
  const RegionClock& regions_;
  std::unique_ptr<SearchedFrames> searched_;        ///< nullptr if this job looks for faces itself
  std::unique_ptr<track::MotionEstimator> motion_;  ///< nullptr if no faces are followed
  std::shared_ptr<const track::MotionPicture> last_picture_;
  std::shared_ptr<SecondLooker> second_looker_;  ///< nullptr if there are no second looks
  std::unique_ptr<PictureKeeper> keeper_;        ///< nullptr if nobody needs pictures
  std::unique_ptr<HidingPixels> pixels_;         ///< the job's own style
  std::unique_ptr<HidingPixels> region_pixels_;
  std::map<GrownStyle, std::unique_ptr<HidingPixels>> styles_;  ///< other styles and growths
};

/// Decides what is hidden in the frames of one job. It gets the frames of all lanes, in the
/// stream's order. It outlives the LaneHiding objects. make_lane() is thread-safe.
class Hiding {
 public:
  /// @param setup  for a job that hides faces
  /// Errors: as Tracker, RegionClock, known_frames() and HidingDevice.
  Hiding(const ProcessorSetup& setup, std::unique_ptr<HidingDevice> device);

  [[nodiscard]] std::unique_ptr<LaneHiding> make_lane(const ProcessorSetup& setup) const {
    return std::make_unique<LaneHiding>(setup, *device_, regions_);
  }

  /// A frame between follow() and decide().
  struct PendingVerdict {
    FrameToHide frame;  ///< without its detections
    track::TrackStep tracks;
    Verdict verdict;  ///< Verdict::hidden is still empty
  };
  /// The queue of frames from follow() to decide(). The thread that calls follow() closes the
  /// queue.
  using PendingVerdicts = Channel<PendingVerdict>;

  /// Takes frames from the lanes and follows their faces, until the stream's end. An error ends
  /// this function immediately.
  /// @param presentation  nullptr if there is one lane, which numbers the frames itself
  void follow(TrackQueue& queue, Presentation* presentation, PendingVerdicts& pending);
  /// Call it on another thread than follow(). Takes frames from `pending`, and gives lanes their
  /// verdicts. An error ends this function immediately. If follow() has failed, decide() works on
  /// all frames in `pending` and then ends. Frames that still wait then get no verdict.
  /// @param cut_short  called at the stream's end; returns whether the input has more frames, which
  ///                   won't be read. If so, the frames that still wait are hidden as a whole,
  ///                   because not all of their faces are known.
  void decide(PendingVerdicts& pending, TrackQueue& queue, const std::function<bool()>& cut_short);

  // Call the following functions after follow() and decide() have ended.
  /// Returns the tracks if HideJob::wants_tracks is set.
  [[nodiscard]] std::shared_ptr<track::TrackFile> tracks() const { return source_->tracks(); }
  [[nodiscard]] TrackCounts track_counts() const { return source_->track_counts(); }
  /// See HiddenFrames.
  [[nodiscard]] track::CollectedTracks collected_tracks() { return source_->collected(); }
  [[nodiscard]] std::int64_t tracks_begun() const { return source_->tracks_begun(); }
  /// Returns DecodedPicture::coded of the frame that begins the next part; nullopt if no such frame
  /// has come.
  [[nodiscard]] const std::optional<video::Timing>& next_part() const { return next_part_; }
  /// Adds the notices that the user should get.
  void report(video::Notices& notices) const { source_->report(notices); }
  /// Calls warn_of_unused(). Call it only if the job has worked on the whole chosen range.
  void check_instructions(const JobOptions& options, video::Notices& notices) const;

 private:
  [[nodiscard]] PendingVerdict follow(TrackQueue::Given given, Presentation* presentation);
  void answer(std::vector<HiddenFrame> known, TrackQueue& queue);

  const std::string input_;  ///< its name, for errors
  const bool follows_;       ///< false: tracks are known, or the job only searches
  const std::unique_ptr<HidingDevice> device_;
  const RegionClock regions_;
  const MotionOfSteps motion_;  ///< if no faces are followed, both estimators are nullptr
  const std::unique_ptr<HiddenFrames> source_;
  RegionUse region_use_;
  bool followed_all_ = false;    ///< written before PendingVerdicts is closed, and read after that
  std::deque<Verdict> waiting_;  ///< verdicts whose member `hidden` isn't known yet
  std::optional<video::Timing> next_part_;
};

}  // namespace facepipe::pipeline
