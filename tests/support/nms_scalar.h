// Computes every rule by applying predicate.h to one pair at a time. The CPU's and the device's
// code must give the same bits for all candidates. nms_oracle.h checks the arithmetic itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nms/nms.h"
#include "nms/predicate.h"

namespace facepipe::test {

struct NmsAnswer {
  std::vector<std::uint32_t> indices;
  std::vector<Box> boxes;
  std::vector<float> scores;
  friend bool operator==(const NmsAnswer&, const NmsAnswer&) = default;
};

inline NmsAnswer answer_of(const nms::NmsKept& kept) {
  return {{kept.indices.begin(), kept.indices.end()},
          {kept.boxes.begin(), kept.boxes.end()},
          {kept.scores.begin(), kept.scores.end()}};
}

class NmsScalar {
 public:
  NmsScalar(const nms::NmsOptions& options, const nms::NmsCandidates& all)
      : options_(options), all_(all) {
    for (std::size_t i = 0; i < all.boxes.size(); ++i) {
      const Box& box = all.boxes[i];
      compared_.push_back(nms::matrix_box(box, options.matrix.squares, options.matrix.plus_one));
      if (nms::valid(box.x1, box.y1, box.x2, box.y2, all.scores[i]))
        valid_.push_back(static_cast<std::uint32_t>(i));
    }
  }

  [[nodiscard]] NmsAnswer answer() const {
    return options_.rule == nms::NmsRule::soft ? softened() : swept();
  }

 private:
  [[nodiscard]] bool suppresses(std::uint32_t a, std::uint32_t b) const {
    const Box& winner = compared_[a];
    const Box& loser = compared_[b];
    const float inter = nms::intersection(winner, loser);
    const float area_a = nms::area(winner);
    const float area_b = nms::area(loser);
    switch (options_.overlap) {
      case nms::NmsOverlap::iou:
        return nms::iou_exceeds(inter, area_a, area_b, options_.threshold);
      case nms::NmsOverlap::diou:
        return nms::diou_exceeds(winner, loser, inter, area_a, area_b, options_.threshold);
      case nms::NmsOverlap::winner_area:
        return nms::winner_share_exceeds(inter, area_a, options_.threshold);
      case nms::NmsOverlap::smaller_area:
        return nms::smaller_share_exceeds(inter, area_a, area_b, options_.threshold);
    }
    return false;
  }

  [[nodiscard]] NmsAnswer swept() const {
    std::vector<std::uint32_t> ranked = valid_;
    std::stable_sort(ranked.begin(), ranked.end(), [this](std::uint32_t a, std::uint32_t b) {
      return all_.scores[a] > all_.scores[b];
    });
    NmsAnswer out;
    std::vector<nms::VoteSums> sums;
    std::vector<std::uint32_t> stronger;
    for (const std::uint32_t b : ranked) {
      const auto wins = [&](std::uint32_t a) { return suppresses(a, b); };
      const auto& rivals = options_.rule == nms::NmsRule::greedy ? out.indices : stronger;
      const bool falls = std::any_of(rivals.begin(), rivals.end(), wins);
      stronger.push_back(b);
      auto joined = std::find_if(out.indices.begin(), out.indices.end(), wins);
      if (!falls) {
        joined = out.indices.insert(out.indices.end(), b);
        sums.emplace_back();
      }
      if (joined != out.indices.end())
        nms::add_vote(sums[static_cast<std::size_t>(joined - out.indices.begin())], all_.boxes[b],
                      all_.scores[b]);
    }
    if (!options_.voting) return out;
    for (std::size_t k = 0; k < sums.size(); ++k)
      out.boxes.push_back(nms::voted_box(sums[k], all_.boxes[out.indices[k]]));
    return out;
  }

  [[nodiscard]] float decayed(float score, std::uint32_t a, std::uint32_t b) const {
    const float inter = nms::intersection(all_.boxes[a], all_.boxes[b]);
    const float iou = nms::iou(inter, nms::area(all_.boxes[a]), nms::area(all_.boxes[b]));
    return nms::decayed(score, options_.soft.decay == nms::SoftDecay::linear
                                   ? nms::linear_decay(iou, options_.threshold)
                                   : nms::gaussian_decay(iou, options_.soft.sigma));
  }

  [[nodiscard]] NmsAnswer softened() const {
    std::vector<float> scores(all_.scores.begin(), all_.scores.end());
    std::vector<std::uint32_t> left = valid_;
    NmsAnswer out;
    while (!left.empty()) {
      // If scores are equal, max_element returns the first one, which has the lowest index.
      const auto best = std::max_element(left.begin(), left.end(),
                                         [&](auto a, auto b) { return scores[a] < scores[b]; });
      const std::uint32_t winner = *best;
      if (!(scores[winner] >= options_.soft.min_score)) break;
      out.indices.push_back(winner);
      out.scores.push_back(scores[winner]);
      left.erase(best);
      for (const std::uint32_t i : left) scores[i] = decayed(scores[i], winner, i);
    }
    return out;
  }

  nms::NmsOptions options_;
  nms::NmsCandidates all_;
  std::vector<Box> compared_;
  std::vector<std::uint32_t> valid_;
};

}  // namespace facepipe::test
