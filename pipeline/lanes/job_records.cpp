#include "pipeline/lanes/job_records.h"

#include "core/timing.h"

namespace facepipe::pipeline {

void JobRecords::finish(FrameRecord& record) {
  if (observer_.frame) {
    // The observer's time counts as mux. If no video is written, there is no stage mux, and no
    // report shows this time.
    const ScopedCpuTime cpu(record.times, StageId::mux);
    observer_.frame(record);
  }
  statistics_.add(record);
  if (observer_.progress) observer_.progress(statistics_.progress(expected_));
}

}  // namespace facepipe::pipeline
