// Computes suppression by its definition, for tests of CPU and device.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/geometry.h"
#include "nms/nms.h"

namespace facepipe::test {

// The oracle computes in double precision, so that its rounding differs from that of the tested
// code. Therefore cases near the threshold must be exact in float and double. Two conditions make
// these cases exact: the corners are whole numbers, and the float for the threshold isn't below the
// threshold's exact value. The second condition is true for the thresholds 0.2, 0.3, 1/3, 0.5 and
// 0.8.

inline double area_of(const Box& box) {
  return (static_cast<double>(box.x2) - box.x1) * (static_cast<double>(box.y2) - box.y1);
}

inline double intersection_of(const Box& a, const Box& b) {
  const double left = std::max(a.x1, b.x1);
  const double top = std::max(a.y1, b.y1);
  const double right = std::min(a.x2, b.x2);
  const double bottom = std::min(a.y2, b.y2);
  return right <= left || bottom <= top ? 0 : (right - left) * (bottom - top);
}

inline double iou_of(const Box& a, const Box& b) {
  const double inter = intersection_of(a, b);
  return inter == 0 ? 0 : inter / (area_of(a) + area_of(b) - inter);
}

/// Returns DIoU (Zheng et al. 2020): the IoU minus the squared distance of the centres, divided by
/// the squared diagonal of the smallest box around both boxes.
inline double diou_of(const Box& a, const Box& b) {
  const double dx = (static_cast<double>(a.x1) + a.x2 - b.x1 - b.x2) / 2;
  const double dy = (static_cast<double>(a.y1) + a.y2 - b.y1 - b.y2) / 2;
  const double cx = static_cast<double>(std::max(a.x2, b.x2)) - std::min(a.x1, b.x1);
  const double cy = static_cast<double>(std::max(a.y2, b.y2)) - std::min(a.y1, b.y1);
  return iou_of(a, b) - (dx * dx + dy * dy) / (cx * cx + cy * cy);
}

inline double overlap_of(nms::NmsOverlap overlap, const Box& winner, const Box& loser) {
  switch (overlap) {
    case nms::NmsOverlap::iou:
      return iou_of(winner, loser);
    case nms::NmsOverlap::diou:
      return diou_of(winner, loser);
    case nms::NmsOverlap::winner_area:
      return intersection_of(winner, loser) / area_of(winner);
    case nms::NmsOverlap::smaller_area:
      return intersection_of(winner, loser) / std::min(area_of(winner), area_of(loser));
  }
  return 0;
}

inline bool overlaps_more(const Box& a, const Box& b, double threshold) {
  return iou_of(a, b) > threshold;
}

/// Returns the box that the rule matrix compares. Oro et al. 2020 describe a detection by its
/// corner (x, y) and the side z of a square. With plus_one, the sides have z + 1 pixels.
inline Box as_the_matrix_sees(const Box& box, const nms::MatrixOptions& options) {
  Box out = box;
  if (options.squares) {
    const float z = std::max(box.x2 - box.x1, box.y2 - box.y1);
    out = {box.x1, box.y1, box.x1 + z, box.y1 + z};
  }
  if (options.plus_one) out = {out.x1, out.y1, out.x2 + 1, out.y2 + 1};
  return out;
}

inline bool is_candidate(const Box& box, float score) {
  if (std::isnan(box.x1) || std::isnan(box.y1) || std::isnan(box.x2) || std::isnan(box.y2))
    return false;
  return !std::isnan(score) && box.x2 > box.x1 && box.y2 > box.y1;
}

/// Holds candidates and computes their relations with given options. NmsOracle ignores
/// options.soft.
class NmsOracle {
 public:
  NmsOracle(const nms::NmsOptions& options, std::vector<Box> boxes, std::vector<float> scores)
      : options_(options), boxes_(std::move(boxes)), scores_(std::move(scores)) {
    for (const Box& box : boxes_) compared_.push_back(as_the_matrix_sees(box, options.matrix));
  }

  [[nodiscard]] bool is_candidate(std::size_t i) const {
    return test::is_candidate(boxes_[i], scores_[i]);
  }
  [[nodiscard]] bool outranks(std::size_t a, std::size_t b) const {
    return scores_[a] > scores_[b] || (scores_[a] == scores_[b] && a < b);
  }
  [[nodiscard]] bool suppresses(std::size_t a, std::size_t b) const {
    return overlap_of(options_.overlap, compared_[a], compared_[b]) >
           static_cast<double>(options_.threshold);
  }

  /// Returns the valid candidates in rank order.
  [[nodiscard]] std::vector<std::uint32_t> ranked() const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < boxes_.size(); ++i)
      if (is_candidate(i)) out.push_back(i);
    std::sort(out.begin(), out.end(), [this](auto a, auto b) { return outranks(a, b); });
    return out;
  }

  [[nodiscard]] std::vector<std::uint32_t> kept() const {
    const std::vector<std::uint32_t> all = ranked();
    std::vector<std::uint32_t> out;
    for (const auto b : all) {
      const auto& rivals = options_.rule == nms::NmsRule::greedy ? out : all;
      const bool falls = std::any_of(rivals.begin(), rivals.end(),
                                     [&](auto a) { return outranks(a, b) && suppresses(a, b); });
      if (!falls) out.push_back(b);
    }
    return out;
  }

  /// Returns the boxes of `kept` after box voting.
  [[nodiscard]] std::vector<Box> voted(const std::vector<std::uint32_t>& kept) const {
    std::vector<std::vector<std::uint32_t>> voters(kept.size());
    for (const auto b : ranked()) {
      const auto joined = std::find_if(kept.begin(), kept.end(), [&](auto a) {
        return a == b || (outranks(a, b) && suppresses(a, b));
      });
      const bool stands = std::find(kept.begin(), kept.end(), b) != kept.end();
      if (joined == kept.end() || (stands && *joined != b)) continue;
      voters[static_cast<std::size_t>(joined - kept.begin())].push_back(b);
    }
    std::vector<Box> out;
    for (std::size_t k = 0; k < kept.size(); ++k) out.push_back(mean(voters[k], boxes_[kept[k]]));
    return out;
  }

 private:
  [[nodiscard]] Box mean(const std::vector<std::uint32_t>& voters, const Box& otherwise) const {
    double weight = 0;
    double x1 = 0;
    double y1 = 0;
    double x2 = 0;
    double y2 = 0;
    for (const auto i : voters) {
      const double share = std::max(0.0F, scores_[i]);
      weight += share;
      x1 += share * boxes_[i].x1;
      y1 += share * boxes_[i].y1;
      x2 += share * boxes_[i].x2;
      y2 += share * boxes_[i].y2;
    }
    if (weight == 0) return otherwise;
    return {static_cast<float>(x1 / weight), static_cast<float>(y1 / weight),
            static_cast<float>(x2 / weight), static_cast<float>(y2 / weight)};
  }

  nms::NmsOptions options_;
  std::vector<Box> boxes_;
  std::vector<Box> compared_;
  std::vector<float> scores_;
};

/// Computes greedy suppression by its definition: keeps the best remaining candidate and removes
/// all candidates whose overlap with it is above the threshold, until none remains.
inline std::vector<std::uint32_t> nms_oracle(const std::vector<Box>& boxes,
                                             const std::vector<float>& scores, double threshold) {
  std::vector<bool> alive(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) alive[i] = is_candidate(boxes[i], scores[i]);
  std::vector<std::uint32_t> kept;
  while (true) {
    std::size_t best = boxes.size();
    for (std::size_t i = 0; i < boxes.size(); ++i)
      if (alive[i] && (best == boxes.size() || scores[i] > scores[best])) best = i;
    if (best == boxes.size()) return kept;
    kept.push_back(static_cast<std::uint32_t>(best));
    alive[best] = false;
    for (std::size_t i = 0; i < boxes.size(); ++i)
      if (alive[i] && overlaps_more(boxes[best], boxes[i], threshold)) alive[i] = false;
  }
}

/// Checks a result of Soft-NMS by its definition. If scores are nearly equal, different orders are
/// correct, so the function follows the result's selections one by one. Returns a description of
/// the first wrong selection, or "" if there is none.
inline std::string wrong_in_soft_nms(const nms::NmsOptions& options, const std::vector<Box>& boxes,
                                     const std::vector<float>& scores,
                                     const std::vector<std::uint32_t>& selected,
                                     const std::vector<float>& decayed) {
  constexpr double kNear = 2e-5;
  constexpr double kGone = -1;
  std::vector<double> left(scores.begin(), scores.end());
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (!is_candidate(boxes[i], scores[i])) left[i] = kGone;
  const auto best = [&] {
    return left.empty() ? kGone : *std::max_element(left.begin(), left.end());
  };
  for (std::size_t k = 0; k < selected.size(); ++k) {
    const std::size_t s = selected[k];
    const std::string which = "selection " + std::to_string(k);
    if (left[s] == kGone) return which + " was selected before, or is not a candidate";
    if (std::abs(left[s] - static_cast<double>(decayed[k])) > kNear)
      return which + " has another score";
    if (left[s] < best() - kNear) return which + " is not the best";
    if (decayed[k] < options.soft.min_score) return which + " is below min_score";
    left[s] = kGone;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (left[i] == kGone) continue;
      const double iou = iou_of(boxes[s], boxes[i]);
      if (options.soft.decay == nms::SoftDecay::gaussian)
        left[i] *= std::exp(-iou * iou / static_cast<double>(options.soft.sigma));
      else if (iou > static_cast<double>(options.threshold))
        left[i] *= 1 - iou;
    }
  }
  return best() > static_cast<double>(options.soft.min_score) + kNear ? "one is missing" : "";
}

}  // namespace facepipe::test
