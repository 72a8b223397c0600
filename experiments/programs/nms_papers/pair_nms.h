// Suppression by a pair rule on the CPU, in plain C++.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/geometry.h"
#include "experiments/programs/nms_papers/pair_rules.h"

namespace facepipe::nms_papers {

/// Compares each candidate, in rank order, with those before it that may remove it. Ranks and
/// invalid candidates are those of nms.h. It allocates only if there are more candidates than ever
/// before.
class PairNms {
 public:
  /// Returns the indices of the kept candidates in rank order, until the next call.
  template <class Rule>
  std::span<const std::uint32_t> run(const Rule& rule, std::span<const Box> boxes,
                                     std::span<const float> scores, Removers removers) {
    rank(boxes, scores);
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
  void rank(std::span<const Box> boxes, std::span<const float> scores) {
    order_.clear();
    for (std::uint32_t i = 0; i < boxes.size(); ++i)
      if (const Box& box = boxes[i]; nms::valid(box.x1, box.y1, box.x2, box.y2, scores[i]))
        order_.push_back(i);
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
    });
  }

  std::vector<std::uint32_t> order_;
  std::vector<PairCandidate> rivals_;
  std::vector<std::uint32_t> kept_;
};

}  // namespace facepipe::nms_papers
