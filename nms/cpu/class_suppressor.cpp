#include "nms/cpu/class_suppressor.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

namespace facepipe::nms {

ClassSuppressor::ClassSuppressor(const NmsOptions& options, std::uint32_t capacity,
                                 std::vector<float> thresholds)
    : options_(options), capacity_(capacity), thresholds_(std::move(thresholds)) {
  // These are made now, so that their memory and their errors don't come in the middle of a video.
  static_cast<void>(suppressor_of(0));
  for (std::size_t i = 1; i < thresholds_.size(); ++i)
    static_cast<void>(suppressor_of(static_cast<std::uint16_t>(i)));
}

CpuSuppressor& ClassSuppressor::suppressor_of(std::uint16_t its_class) {
  NmsOptions options = options_;
  if (its_class < thresholds_.size()) options.threshold = thresholds_[its_class];
  return suppressors_.try_emplace(options.threshold, options, capacity_).first->second;
}

NmsKept ClassSuppressor::run(const Detections& candidates) {
  if (candidates.classes.empty())
    return suppressor_of(0).run({candidates.boxes, candidates.scores});
  kept_.clear();
  std::uint32_t beyond_capacity = 0;
  for (const std::vector<std::uint32_t>& of_class : entries_by_class(candidates))
    beyond_capacity += add_class(candidates, of_class);
  return ranked(beyond_capacity);
}

/// Adds what is kept of a class. Returns how many of its candidates had no room.
std::uint32_t ClassSuppressor::add_class(const Detections& candidates,
                                         const std::vector<std::uint32_t>& of_class) {
  std::vector<Box> boxes;
  std::vector<float> scores;
  for (const std::uint32_t i : of_class) {
    boxes.push_back(candidates.boxes[i]);
    scores.push_back(candidates.scores[i]);
  }
  const NmsKept kept = suppressor_of(candidates.class_of(of_class.front())).run({boxes, scores});
  for (std::size_t rank = 0; rank < kept.indices.size(); ++rank) {
    const std::uint32_t i = kept.indices[rank];
    kept_.push_back({of_class[i], kept.boxes.empty() ? boxes[i] : kept.boxes[rank],
                     kept.scores.empty() ? scores[i] : kept.scores[rank]});
  }
  return kept.beyond_capacity;
}

NmsKept ClassSuppressor::ranked(std::uint32_t beyond_capacity) {
  std::ranges::sort(kept_, [](const Kept& a, const Kept& b) {
    return std::tuple(b.score, a.index) < std::tuple(a.score, b.index);
  });
  indices_.clear();
  boxes_.clear();
  scores_.clear();
  for (const Kept& kept : kept_) {
    indices_.push_back(kept.index);
    if (moves_boxes(options_)) boxes_.push_back(kept.box);
    if (changes_scores(options_)) scores_.push_back(kept.score);
  }
  return {indices_, boxes_, scores_, beyond_capacity};
}

}  // namespace facepipe::nms
