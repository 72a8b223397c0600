#include "app/stage_times.h"

namespace facepipe {

void StageTimes::add(const FrameTimes& times) {
  for (std::size_t i = 0; i < kStageCount; ++i)
    if (times.stages[i].ran())
      stages_[i].push_back(static_cast<float>(times.stages[i].milliseconds()));
  totals_.push_back(static_cast<float>(times.total_ms()));
  latencies_.push_back(static_cast<float>(times.latency_ms()));
}

std::vector<std::pair<std::string, Percentiles>> StageTimes::table() const {
  std::vector<std::pair<std::string, Percentiles>> rows;
  if (totals_.empty()) return rows;
  for (std::size_t i = 0; i < kStageCount; ++i)
    if (!stages_[i].empty())
      rows.emplace_back(to_string(static_cast<StageId>(i)), percentiles(stages_[i]));
  rows.emplace_back("total", percentiles(totals_));
  rows.emplace_back("latency", percentiles(latencies_));
  return rows;
}

}  // namespace facepipe
