// What one device does with each frame between decoder and encoder.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "detector/detector.h"
#include "pipeline/job.h"
#include "pipeline/work_item.h"
#include "video/notices.h"

namespace facepipe {

/// Finds and draws the faces of one job's frames, all on one device. start(), finish() and draw()
/// are called by a thread each, with each frame in that order; frames come in presentation order.
class FrameProcessor {
 public:
  virtual ~FrameProcessor() = default;

  /// Begins to look for faces; waits for a free place, throws Stopped if `stop` is requested first.
  /// Errors: device.
  virtual void start(WorkItem& item, const std::stop_token& stop) = 0;

  /// Waits for the faces, and fills in the record's candidates, faces and times. Errors: device.
  virtual void finish(WorkItem& item) = 0;

  /// Draws the faces, where finish() hasn't.
  virtual void draw(WorkItem& item) = 0;

  /// Candidates so far that suppression had no room for.
  [[nodiscard]] virtual std::int64_t candidates_ignored() const = 0;

  /// Fills in what is the same for all processors of a job: the network's size, and all copies
  /// between host and device.
  virtual void report(JobResult& result) const = 0;
};

/// Tells how pictures are tiled, if they are: a line in the log.
void tell_tiles(const std::optional<Tiling>& tiling);

/// Tells of candidates that suppression had no room for, if there are any.
void tell_ignored(std::int64_t ignored, std::uint32_t capacity, Notices& notices);

}  // namespace facepipe
