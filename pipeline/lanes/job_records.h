// Receives the records of a job's frames.
#pragma once

#include <cstdint>

#include "core/frame_record.h"
#include "pipeline/job_observer.h"
#include "pipeline/lanes/record_order.h"
#include "pipeline/statistics.h"

namespace facepipe::pipeline {

/// Puts records into presentation order, counts them, and gives them to the observer. Used by one
/// thread.
class JobRecords {
 public:
  /// @param expected  the expected number of frames; 0 if unknown
  JobRecords(Statistics& statistics, const JobObserver& observer, std::int64_t expected)
      : statistics_(statistics), observer_(observer), expected_(expected) {}

  void push(FrameRecord record) {
    order_.push(std::move(record), [this](FrameRecord next) { finish(next); });
  }

 private:
  void finish(FrameRecord& record);

  Statistics& statistics_;
  const JobObserver& observer_;
  const std::int64_t expected_;
  RecordOrder order_;
};

}  // namespace facepipe::pipeline
