// What a run adds up from its frames' records.
#pragma once

#include <array>
#include <vector>

#include "pipeline/job.h"

namespace facepipe {

/// Durations are kept as floats, 80 bytes a frame: an hour of video takes some 9 MB.
class Statistics {
 public:
  Statistics() : start_(Clock::now()) {}

  void add(const FrameRecord& record);
  [[nodiscard]] Progress progress(std::int64_t expected_frames) const;
  /// Fills in what the records say: faces, candidates, times, rate.
  void fill(JobResult& result) const;

 private:
  [[nodiscard]] double frames_per_second() const;

  Clock::time_point start_;
  Clock::time_point first_;
  Clock::time_point last_;
  std::int64_t frames_ = 0;
  std::int64_t faces_ = 0;
  std::int64_t candidates_ = 0;
  std::array<std::vector<float>, kStageCount> stage_ms_;
  std::array<std::vector<float>, kStageCount> cpu_ms_;
  std::vector<float> total_ms_;
  std::vector<float> latency_ms_;
};

}  // namespace facepipe
