// Suppression by a pair rule on the CPU, in plain C++.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/geometry.h"
#include "experiments/programs/nms_papers/pair_rules.h"
#include "experiments/programs/nms_papers/rank_candidates.h"

namespace facepipe::nms_papers {

/// Compares each candidate, in rank order, with the earlier candidates that may remove it. Ranks
/// and invalid candidates are those of nms.h. A call allocates memory only if there are more
/// candidates than in all calls before.
class PairNms {
 public:
  /// Returns the indices of the kept candidates in rank order. They are valid until the next call.
  template <class Rule>
  std::span<const std::uint32_t> run(const Rule& rule, std::span<const Box> boxes,
                                     std::span<const float> scores, Removers removers) {
    rank_candidates(order_, boxes, scores);
    rivals_.clear();
    kept_.clear();
    for (const std::uint32_t index : order_) {
      const PairCandidate loser{boxes[index], nms::area(boxes[index]), index};
      const bool removed =
          std::any_of(rivals_.begin(), rivals_.end(),
                      [&](const PairCandidate& winner) { return rule.suppresses(winner, loser); });
      if (!removed) kept_.push_back(index);
      if (!removed || removers == Removers::any) rivals_.push_back(loser);
    }
    return kept_;
  }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<PairCandidate> rivals_;
  std::vector<std::uint32_t> kept_;
};

}  // namespace facepipe::nms_papers
