// Declares Writer, the work of a job's writing thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/timing.h"
#include "pipeline/job_end.h"
#include "pipeline/lanes/job_records.h"
#include "pipeline/lanes/order.h"
#include "pipeline/lanes/presentation.h"
#include "pipeline/parts/part_file.h"
#include "video/write/muxer.h"

namespace facepipe::pipeline {

/// Says where finished frames go: into a video, into a part file, or only to the observer.
struct JobTarget {
  std::unique_ptr<video::Muxer> muxer;
  std::unique_ptr<PartWriter> part;
};

/// Takes finished frames from Order. Gives packets to the muxer, or frames to a part file, and
/// records to the observer.
class Writer {
 public:
  /// @param presentation  nullptr if there is one lane, which numbers the frames itself
  Writer(Order& order, JobEnd& end, JobTarget target, std::unique_ptr<Presentation> presentation,
         JobRecords records)
      : order_(order),
        end_(end),
        muxer_(std::move(target.muxer)),
        part_(std::move(target.part)),
        presentation_(std::move(presentation)),
        records_(std::move(records)) {}

  /// Returns the thread's name.
  [[nodiscard]] std::string name() const;
  /// Writes everything that comes from Order. The job's thread calls this.
  void run();

  // The following functions are valid after the thread has ended.
  /// Returns nullptr if no video is written.
  [[nodiscard]] video::Muxer* muxer() const { return muxer_.get(); }
  /// Returns nullptr if no part file is written.
  [[nodiscard]] PartWriter* part() const { return part_.get(); }
  /// Returns how many frames the muxer or the part file has taken.
  [[nodiscard]] std::int64_t written() const { return written_; }
  [[nodiscard]] Clock::duration working() const { return working_; }

 private:
  void write(FinishedFrame frame);
  void write_part(FinishedFrame& frame);
  [[nodiscard]] bool write_video(FinishedFrame& frame);

  Order& order_;
  JobEnd& end_;
  const std::unique_ptr<video::Muxer> muxer_;
  const std::unique_ptr<PartWriter> part_;
  const std::unique_ptr<Presentation> presentation_;
  JobRecords records_;
  std::int64_t written_ = 0;
  Clock::duration working_{};
};

}  // namespace facepipe::pipeline
