#include "pipeline/lanes/job_records.h"

#include "core/timing.h"

namespace facepipe::pipeline {

void JobRecords::finish(FrameRecord& record) {
  if (observer_.frame) {
    // The time counts for the last stage. Without video no stage has it, and no report shows it.
    const ScopedCpuTime cpu(record.times, StageId::mux);
    observer_.frame(record);
  }
  statistics_.add(record);
  if (observer_.progress) observer_.progress(statistics_.progress(expected_));
}

}  // namespace facepipe::pipeline
