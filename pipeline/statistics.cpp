#include "pipeline/statistics.h"

#include <ctime>

namespace facepipe::pipeline {
namespace {

/// Returns when the work on the frame began after decoding: preprocessing, or the first later stage
/// that ran.
Clock::time_point work_begin(const FrameTimes& times) {
  for (const StageId stage : {StageId::preprocess, StageId::inference, StageId::overlay})
    if (times[stage].ran()) return times[stage].begin;
  return times[StageId::decode].end;
}

}  // namespace

double Statistics::process_cpu_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void Statistics::add(const FrameRecord& record) {
  if (frames_ == 0) started_ = work_begin(record.times);
  ++frames_;
  if (record.times[StageId::inference].ran()) ++searched_;
  faces_ += static_cast<std::int64_t>(record.face_count);
  candidates_ += static_cast<std::int64_t>(record.candidates);
  times_.add(record.times, record.lane);
}

double Statistics::frames_per_second(Clock::time_point now) const {
  if (frames_ == 0) return 0;
  const double span = in_seconds(now - started_);
  return span > 0 ? static_cast<double>(frames_) / span : 0;
}

Progress Statistics::progress(std::int64_t expected_frames) const {
  return {frames_, expected_frames, frames_per_second(Clock::now()), faces_};
}

void Statistics::fill(JobResult& result) {
  const Clock::time_point end = Clock::now();
  result.counts.searched = searched_;
  result.counts.faces = faces_;
  result.counts.candidates = candidates_;
  result.times.wall_s = in_seconds(end - begin_);
  result.times.startup_s = frames_ > 0 ? in_seconds(started_ - begin_) : result.times.wall_s;
  result.times.cpu_s = process_cpu_s() - begin_cpu_s_;
  result.times.fps = frames_per_second(end);
  times_.add_run(result.times.wall_s, result.times.startup_s, result.resources.lanes.count);
  result.times.stages = times_.rows();
  result.times.total_ms = times_.total_ms();
  result.times.latency_ms = times_.latency_ms();
}

}  // namespace facepipe::pipeline
