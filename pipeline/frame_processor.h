// Declares FrameProcessor, which works on each frame of a lane between decoder and encoder.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "core/detections.h"
#include "core/frame.h"
#include "core/frame_record.h"
#include "core/permit_pool.h"
#include "pipeline/detection_report.h"
#include "pipeline/lanes/track_queue.h"
#include "track/motion.h"
#include "video/frames/frame_timing.h"

namespace facepipe::pipeline {

/// Holds a device's state of a frame between FrameProcessor::start() and finish(). The destructor
/// waits until the device no longer works on the frame, so destroy it before the frame.
class FrameWork {
 public:
  virtual ~FrameWork() = default;
};

/// A frame between decoder and encoder. Its ten members are all that the stages know of the frame
/// so far.
struct WorkItem {
  Frame frame;
  FrameRecord record;
  std::int64_t segment = 0;      ///< number of the segment that the frame belongs to
  video::Timing coded;           ///< DecodedPicture::coded
  PermitPool::Permit in_flight;  ///< limits the frames between decoder and encoder
  TrackQueue::Room room;         ///< limits the frames that wait, if faces are hidden
  std::unique_ptr<FrameWork> work;
  /// The detections that tracks need. finish() fills them in if drawn faces are followed.
  Detections to_follow;
  /// The small picture in which motion is estimated. start() fills it in if not all frames are
  /// searched.
  std::shared_ptr<const track::MotionPicture> picture;
  bool begins_next_part = false;  ///< the next part has the frame (FrameUse::begins_next)
};

/// Finds faces in the frames of one lane and draws them, on the lane's device. It draws nothing if
/// faces are hidden; LaneHiding then hides them. For each frame, one thread calls start(), then a
/// second thread calls finish(), and a third thread calls the remaining functions.
class FrameProcessor {
 public:
  virtual ~FrameProcessor() = default;

  /// Begins to search the frame for faces. First waits until the detector can take another frame;
  /// throws Stopped if `stop` is requested meanwhile. Errors: device.
  virtual void start(WorkItem& item, const std::stop_token& stop) = 0;

  /// Waits for the faces, and fills in the record's candidates, faces and times. Errors: device.
  virtual void finish(WorkItem& item) = 0;

  /// Takes frames whose faces are all known.
  using Sink = std::function<void(WorkItem item)>;

  /// Takes the next frame, and gives `sink` all frames whose faces are known now, in their order.
  /// If not all frames are searched, a frame may wait for the next searched frame. Not called if
  /// faces are hidden. Errors: device; the sink's.
  virtual void pass_on(WorkItem item, const Sink& sink) { sink(std::move(item)); }
  /// At the stream's end, gives `sink` the frames that still wait.
  virtual void pass_on_rest(const Sink& /*sink*/) {}

  /// Draws the faces of a frame that `sink` got, with their tracks if faces are followed. Does
  /// nothing if finish() has drawn them already. Errors: device.
  virtual void draw(WorkItem& /*item*/) {}

  /// Returns whether pass_on(), pass_on_rest() and draw() add to a frame's record. They must then
  /// be called even if no video is written.
  [[nodiscard]] virtual bool draws_without_video() const { return false; }

  /// Returns the number of candidates so far for which suppression had no room.
  [[nodiscard]] virtual std::int64_t candidates_ignored() const = 0;
  /// Returns facts that are the same for all lanes of a job; nullopt if no detector runs.
  [[nodiscard]] virtual std::optional<DetectionFacts> detection() const = 0;
};

}  // namespace facepipe::pipeline
