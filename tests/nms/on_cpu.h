// Makes a suppressor for the CPU and runs it once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "nms/cpu/suppressor.h"
#include "tests/support/nms_cases.h"
#include "tests/support/nms_scalar.h"

namespace facepipe::test {

inline nms::NmsOptions by_rule(nms::NmsRule rule, float threshold = 0.3F) {
  nms::NmsOptions options;
  options.rule = rule;
  options.threshold = threshold;
  return options;
}

inline nms::NmsCandidates candidates_of(const NmsCase& all) { return {all.boxes, all.scores}; }

inline NmsAnswer on_cpu(const nms::NmsOptions& options, const nms::NmsCandidates& all) {
  const auto count = static_cast<std::uint32_t>(all.boxes.size());
  nms::CpuSuppressor suppressor(options, std::clamp(count, 2048U, nms::kMaxNmsCapacity));
  return answer_of(suppressor.run(all));
}
inline NmsAnswer on_cpu(const nms::NmsOptions& options, const NmsCase& all) {
  return on_cpu(options, candidates_of(all));
}

inline std::vector<std::uint32_t> kept_on_cpu(const nms::NmsOptions& options, const NmsCase& all) {
  return on_cpu(options, all).indices;
}
inline std::vector<std::uint32_t> greedy_on_cpu(const NmsCase& all, float threshold) {
  return kept_on_cpu(by_rule(nms::NmsRule::greedy, threshold), all);
}

}  // namespace facepipe::test
