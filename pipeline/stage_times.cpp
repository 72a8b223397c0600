#include "pipeline/stage_times.h"

#include <algorithm>

namespace facepipe::pipeline {
namespace {

/// Returns whether the stage works during a frame's whole interval. Other stages may also wait
/// during the interval.
bool works_all_the_while(StageId stage) {
  return stage == StageId::preprocess || stage == StageId::inference || stage == StageId::nms ||
         stage == StageId::overlay;
}

/// Returns whether a run has the stage only once, and not once for each lane.
bool is_shared_by_lanes(StageId stage) { return stage == StageId::read || stage == StageId::mux; }

}  // namespace

void StageTimes::add(const FrameTimes& times, int lane) {
  for (std::size_t i = 0; i < kStageCount; ++i) {
    const Interval& interval = times.stages[i];
    if (!interval.ran()) continue;
    Stage& stage = stages_[i];
    stage.in_stage_ms.add(interval.milliseconds());
    stage.own_cpu_ms.add(static_cast<double>(times.cpu_ms[i]));
    if (!works_all_the_while(static_cast<StageId>(i))) continue;
    // The frames of a lane are sorted by their begin. If their intervals overlap, the common time
    // counts once.
    Clock::time_point& busy_until = stage.busy_until[lane];
    const Clock::time_point begin = std::max(interval.begin, busy_until);
    stage.work += std::max(interval.end - begin, Clock::duration::zero());
    busy_until = std::max(interval.end, busy_until);
  }
  total_.add(times.total_ms());
  latency_.add(times.latency_ms());
}

void StageTimes::add_work(StageId stage, Clock::duration work) {
  stages_[static_cast<std::size_t>(stage)].work += work;
}

void StageTimes::add_run(double wall_s, double startup_s, int lanes) {
  wall_s_ += wall_s;
  lanes_wall_s_ += wall_s * lanes;
  startup_s_ += startup_s;
}

void StageTimes::merge(const StageTimes& other) {
  for (std::size_t i = 0; i < kStageCount; ++i) {
    stages_[i].in_stage_ms.merge(other.stages_[i].in_stage_ms);
    stages_[i].own_cpu_ms.merge(other.stages_[i].own_cpu_ms);
    stages_[i].work += other.stages_[i].work;
  }
  total_.merge(other.total_);
  latency_.merge(other.latency_);
  wall_s_ += other.wall_s_;
  lanes_wall_s_ += other.lanes_wall_s_;
  startup_s_ += other.startup_s_;
}

std::vector<StageRow> StageTimes::rows() const {
  std::vector<StageRow> rows;
  for (std::size_t i = 0; i < kStageCount; ++i) {
    const Stage& stage = stages_[i];
    const auto frames = static_cast<double>(stage.in_stage_ms.count());
    if (frames == 0) continue;
    const auto id = static_cast<StageId>(i);
    const double work_s = in_seconds(stage.work);
    const double wall_s = is_shared_by_lanes(id) ? wall_s_ : lanes_wall_s_;
    rows.push_back({id, stage.in_stage_ms.percentiles(), 1e3 * work_s / frames,
                    wall_s > 0 ? work_s / wall_s : 0, stage.own_cpu_ms.percentiles()});
  }
  return rows;
}

std::optional<StageRow> bounding_stage(const std::vector<StageRow>& rows) {
  const auto most =
      std::max_element(rows.begin(), rows.end(),
                       [](const StageRow& a, const StageRow& b) { return a.share < b.share; });
  if (most == rows.end()) return std::nullopt;
  return *most;
}

}  // namespace facepipe::pipeline
