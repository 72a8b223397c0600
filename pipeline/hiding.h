// Hides the faces of frames, once the frames that follow have told where they are.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/copies.h"
#include "core/frame.h"
#include "pipeline/backend.h"
#include "pipeline/frame_processor.h"
#include "pipeline/hidden_frames.h"
#include "pipeline/job.h"
#include "pipeline/regions.h"
#include "track/motion.h"

namespace facepipe {

/// What hiding does with pixels, where they are. Used by one thread.
class HidingPixels {
 public:
  HidingPixels() = default;
  virtual ~HidingPixels() = default;
  HidingPixels(const HidingPixels&) = delete;
  HidingPixels& operator=(const HidingPixels&) = delete;

  /// The frame, in memory that its decoder can do without while it waits. What it was in goes back
  /// with the next wait(). Errors: device.
  [[nodiscard]] virtual Frame kept(Frame frame) = 0;
  virtual void wait() {}

  /// As FaceHider::hide() and hide_all(); they make the frame writable. Errors: device.
  virtual void hide(Frame& frame, std::span<const Box> faces) = 0;
  virtual void hide_all(Frame& frame) = 0;
};

/// Throws Error(device) where suppression had no room for `candidates` of a frame: there may be
/// faces among them, which nothing would hide.
void refuse_ignored(std::uint32_t candidates);

/// What hiding needs of the frames' device.
class HidingDevice {
 public:
  HidingDevice() = default;
  virtual ~HidingDevice() = default;
  HidingDevice(const HidingDevice&) = delete;
  HidingDevice& operator=(const HidingDevice&) = delete;

  /// What hides in one style. Errors: device.
  [[nodiscard]] virtual std::unique_ptr<HidingPixels> make_pixels(const HideOptions& look) = 0;
  /// Errors: device.
  [[nodiscard]] virtual std::unique_ptr<MotionEstimator> make_motion() = 0;
};

/// Frames go in with the detections of all scores that tracks need (FrameRecord::faces), or, where
/// tracks are known, with none; and come out in their order, hidden, with FrameRecord::faces,
/// face_tracks and face_count of those that were seen and are hidden. It keeps
/// ProcessorSetup::waiting_frames at most. A damaged frame is hidden as a whole. Where no video is
/// written nothing is hidden, and no picture kept.
///
/// Used by one thread. Errors: as Tracker, RegionClock, known_frames() and the device's: then no
/// further frame is given.
class Hiding {
 public:
  /// @param setup  of a job that hides
  Hiding(const ProcessorSetup& setup, std::unique_ptr<HidingDevice> device);

  void push(WorkItem item, const FrameProcessor::Sink& sink);
  void flush(const FrameProcessor::Sink& sink);

  /// After flush(): fills in the tracks, and tells what a user should know.
  void report(JobResult& result, Notices& notices) const;

 private:
  [[nodiscard]] std::vector<HiddenFrame> track(WorkItem& item);
  void give(std::vector<HiddenFrame> known, const FrameProcessor::Sink& sink);
  void settle(HiddenFrame known, WorkItem& item);
  void hide(const HiddenFrame& known, const RegionClock::Now& regions, bool damaged, Frame& frame);
  [[nodiscard]] HidingPixels& pixels_for(std::string_view style);

  const HideJob& job_;
  const bool writes_;  ///< else faces are only tracked
  const Size picture_;
  const std::unique_ptr<HidingDevice> device_;
  RegionClock regions_;
  std::unique_ptr<MotionEstimator> motion_;  ///< null where tracks are known
  std::unique_ptr<HiddenFrames> source_;
  std::unique_ptr<HidingPixels> pixels_;  ///< the job's own style
  std::unique_ptr<HidingPixels> region_pixels_;
  std::map<std::string_view, std::unique_ptr<HidingPixels>> styles_;  ///< other tracks'
  std::deque<WorkItem> waiting_;
};

}  // namespace facepipe
