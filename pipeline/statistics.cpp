#include "pipeline/statistics.h"

namespace facepipe {
namespace {

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

void Statistics::add(const FrameRecord& record) {
  last_ = Clock::now();
  if (frames_ == 0) first_ = last_;
  ++frames_;
  faces_ += static_cast<std::int64_t>(record.face_count);
  candidates_ += static_cast<std::int64_t>(record.candidates);
  for (std::size_t i = 0; i < kStageCount; ++i) {
    const Interval& stage = record.times.stages[i];
    if (!stage.ran()) continue;
    stage_ms_[i].push_back(static_cast<float>(stage.milliseconds()));
    cpu_ms_[i].push_back(record.times.cpu_ms[i]);
  }
  total_ms_.push_back(static_cast<float>(record.times.total_ms()));
  latency_ms_.push_back(static_cast<float>(record.times.latency_ms()));
}

// Between the first and the last frame, so that loading a model doesn't count.
double Statistics::frames_per_second() const {
  if (frames_ == 0) return 0;
  const double span = seconds_between(first_, last_);
  if (frames_ > 1 && span > 0) return static_cast<double>(frames_ - 1) / span;
  return static_cast<double>(frames_) / seconds_between(start_, last_);
}

Progress Statistics::progress(std::int64_t expected_frames) const {
  return {frames_, expected_frames, frames_per_second(), faces_};
}

void Statistics::fill(JobResult& result) const {
  result.faces = faces_;
  result.candidates = candidates_;
  result.wall_s = seconds_between(start_, Clock::now());
  result.fps = frames_per_second();
  for (std::size_t i = 0; i < kStageCount; ++i) {
    if (stage_ms_[i].empty()) continue;
    const std::string name(to_string(static_cast<StageId>(i)));
    result.stage_ms.emplace_back(name, percentiles(stage_ms_[i]));
    result.stage_cpu_ms.emplace_back(name, percentiles(cpu_ms_[i]));
  }
  if (frames_ == 0) return;
  result.stage_ms.emplace_back("total", percentiles(total_ms_));
  result.stage_ms.emplace_back("latency", percentiles(latency_ms_));
}

}  // namespace facepipe
