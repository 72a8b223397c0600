// The times of the frames of all inputs together.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/timing.h"

namespace facepipe {

/// Keeps 40 bytes a frame. Not thread-safe.
class StageTimes {
 public:
  void add(const FrameTimes& times);

  /// Stages that ran, then "total" and "latency", in milliseconds; empty if no frame came.
  [[nodiscard]] std::vector<std::pair<std::string, Percentiles>> table() const;

 private:
  std::array<std::vector<float>, kStageCount> stages_;
  std::vector<float> totals_;
  std::vector<float> latencies_;
};

}  // namespace facepipe
