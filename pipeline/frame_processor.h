// What one device does with each frame between decoder and encoder.
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

/// What a device keeps of a frame between FrameProcessor::start() and finish(). If it is destroyed
/// before the frame, it waits for work on it.
class FrameWork {
 public:
  virtual ~FrameWork() = default;
};

/// A frame between decoder and encoder. Its nine members are all that the stages know of it so far.
struct WorkItem {
  Frame frame;
  FrameRecord record;
  std::int64_t segment = 0;      ///< the segment of the stream that it belongs to
  video::Timing coded;           ///< DecodedPicture::coded
  PermitPool::Permit in_flight;  ///< bounds the frames between decoder and encoder
  TrackQueue::Room room;         ///< bounds the frames that wait, if faces are hidden
  std::unique_ptr<FrameWork> work;
  /// finish() fills in the detections that tracks need, if drawn faces are followed.
  Detections to_follow;
  /// start() fills in what motion is looked for in, if not all frames are searched.
  std::shared_ptr<const track::MotionPicture> picture;
};

/// Finds the faces of one job's frames, and draws them unless they are hidden (LaneHiding), all on
/// one device. One thread calls start(), one finish(), and one what follows, for each frame in that
/// order. Each lane has a processor.
class FrameProcessor {
 public:
  virtual ~FrameProcessor() = default;

  /// Begins to look for faces. Waits for a free place; throws Stopped if `stop` is requested first.
  /// Errors: device.
  virtual void start(WorkItem& item, const std::stop_token& stop) = 0;

  /// Waits for the faces, and fills in the record's candidates, faces and times. Errors: device.
  virtual void finish(WorkItem& item) = 0;

  /// Takes frames whose faces are all known.
  using Sink = std::function<void(WorkItem item)>;

  /// Passes on the frames whose faces are known with this one, in their order. If not all frames
  /// are searched, a frame may wait for one that is. Not called if faces are hidden.
  /// Errors: device; the sink's.
  virtual void pass_on(WorkItem item, const Sink& sink) { sink(std::move(item)); }
  /// Passes on the rest, at the stream's end.
  virtual void pass_on_rest(const Sink& /*sink*/) {}

  /// Draws the faces of a frame that was passed on, unless finish() has drawn them, with their
  /// tracks if faces are followed. Errors: device.
  virtual void draw(WorkItem& /*item*/) {}

  /// Whether these three calls add to a frame's record. Then they are called even if no video is
  /// written.
  [[nodiscard]] virtual bool draws_without_video() const { return false; }

  /// Candidates so far that suppression had no room for.
  [[nodiscard]] virtual std::int64_t candidates_ignored() const = 0;
  /// The same for all lanes of a job; nullopt if it looks for nothing.
  [[nodiscard]] virtual std::optional<DetectionFacts> detection() const = 0;
};

}  // namespace facepipe::pipeline
