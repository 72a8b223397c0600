// The thread of a job that writes.
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
#include "video/write/muxer.h"

namespace facepipe::pipeline {

/// Takes what the lanes have finished, in the stream's order, and gives packets to the muxer and
/// records to the observer.
class Writer {
 public:
  /// @param muxer         nullptr if no video is written
  /// @param presentation  nullptr if the lane knows the frames' place in the stream
  Writer(Order& order, JobEnd& end, std::unique_ptr<video::Muxer> muxer,
         std::unique_ptr<Presentation> presentation, JobRecords records)
      : order_(order),
        end_(end),
        muxer_(std::move(muxer)),
        presentation_(std::move(presentation)),
        records_(std::move(records)) {}

  /// The thread's name.
  [[nodiscard]] std::string name() const;
  /// The thread's body.
  void run();

  // What follows is meaningful when the thread has ended.
  /// nullptr if no video is written.
  [[nodiscard]] video::Muxer* muxer() const { return muxer_.get(); }
  /// Frames of the video that the muxer took.
  [[nodiscard]] std::int64_t written() const { return written_; }
  [[nodiscard]] Clock::duration working() const { return working_; }

 private:
  void write(FinishedFrame frame);
  [[nodiscard]] bool write_video(FinishedFrame& frame);

  Order& order_;
  JobEnd& end_;
  const std::unique_ptr<video::Muxer> muxer_;
  const std::unique_ptr<Presentation> presentation_;
  JobRecords records_;
  std::int64_t written_ = 0;
  Clock::duration working_{};
};

}  // namespace facepipe::pipeline
