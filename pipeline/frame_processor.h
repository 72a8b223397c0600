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
#include "core/slots.h"
#include "detector/detector.h"
#include "pipeline/job_result.h"
#include "pipeline/lanes/track_queue.h"
#include "track/motion.h"
#include "video/notices.h"
#include "video/read/timeline.h"

namespace facepipe::pipeline {

/// What a device keeps of a frame between FrameProcessor::start() and finish(). Destroyed
/// before the frame, it waits for work on it.
class FrameWork {
 public:
  virtual ~FrameWork() = default;
};

/// Decoder -> ... -> encoder: a frame and what is known of it so far.
struct WorkItem {
  Frame frame;
  FrameRecord record;
  std::int64_t segment = 0;  ///< of the stream, which it belongs to
  video::Timing coded;       ///< DecodedPicture::coded
  Slots::Permit in_flight;   ///< bounds the frames between decoder and encoder
  TrackQueue::Room room;     ///< where faces are hidden: bounds the frames that wait
  std::unique_ptr<FrameWork> work;
  /// By finish(), where faces are followed from frame to frame: those that this needs.
  Detections to_follow;
  /// By start(), where not all frames are searched: what motion is looked for in.
  std::shared_ptr<const track::MotionPicture> picture;
};

/// Finds the faces of one job's frames, and draws them if they aren't hidden (LaneHiding), all on
/// one device. start(), finish(), and what follows that are called by a thread each, with each
/// frame in that order. Each lane has one.
class FrameProcessor {
 public:
  virtual ~FrameProcessor() = default;

  /// Begins to look for faces; waits for a free place, throws Stopped if `stop` is requested first.
  /// Errors: device.
  virtual void start(WorkItem& item, const std::stop_token& stop) = 0;

  /// Waits for the faces, and fills in the record's candidates, faces and times. Errors: device.
  virtual void finish(WorkItem& item) = 0;

  /// Takes frames of which all is known.
  using Sink = std::function<void(WorkItem item)>;

  /// Gives on the frames whose faces are known with this one, in their order; where not all are
  /// searched it may wait for one that is. settle_last() gives the rest, at the stream's end.
  /// Not called where faces are hidden. Errors: device; the sink's.
  virtual void settle(WorkItem item, const Sink& sink) { sink(std::move(item)); }
  virtual void settle_last(const Sink& /*sink*/) {}

  /// Draws the faces of a frame that is settled, where finish() hasn't, and tells their tracks
  /// where they are followed. Errors: device.
  virtual void draw(WorkItem& /*item*/) {}

  /// Whether these tell more of a frame: then they are called where no video is written, too.
  [[nodiscard]] virtual bool draws_without_video() const { return false; }

  /// Candidates so far that suppression had no room for.
  [[nodiscard]] virtual std::int64_t candidates_ignored() const = 0;

  /// Fills in what is known at the end, for all lanes: the network's size, and the candidates that
  /// were `ignored` altogether.
  virtual void report(std::int64_t ignored, JobResult& result, video::Notices& notices) const = 0;
};

/// Tells how pictures are tiled, if they are: a line in the log.
void tell_tiles(const std::optional<detector::Tiling>& tiling);

/// Fills in the network's size, tiles and the candidates that suppression, which takes `capacity`,
/// had no room for; these are told, if there are any.
void report_detection(const detector::DetectorFacts& facts, std::int64_t ignored,
                      std::uint32_t capacity, JobResult& result, video::Notices& notices);

}  // namespace facepipe::pipeline
