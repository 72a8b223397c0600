// Computes the rule `groups` as OpenCV defines it: compares each box with each other box in double
// precision, without sorting.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/geometry.h"

namespace facepipe::test {

/// The members are whole numbers.
struct OracleRect {
  double x, y, width, height;
};

/// Rounds a box to whole pixels. Returns a rectangle with width 0 if nms.h calls the box invalid.
inline OracleRect rounded(const Box& box) {
  constexpr double kFarthest = 8388608;
  const std::vector<float> corners{box.x1, box.y1, box.x2, box.y2};
  const bool valid = std::all_of(corners.begin(), corners.end(), [](float corner) {
    return std::abs(static_cast<double>(corner)) <= kFarthest;
  });
  const OracleRect rect{std::nearbyint(box.x1), std::nearbyint(box.y1),
                        std::nearbyint(box.x2 - box.x1), std::nearbyint(box.y2 - box.y1)};
  return valid && rect.width > 0 && rect.height > 0 ? rect : OracleRect{};
}

inline bool are_similar(const OracleRect& a, const OracleRect& b) {
  const double most = 0.2 * (std::min(a.width, b.width) + std::min(a.height, b.height)) * 0.5;
  return std::abs(a.x - b.x) <= most && std::abs(a.y - b.y) <= most &&
         std::abs(a.x + a.width - b.x - b.width) <= most &&
         std::abs(a.y + a.height - b.y - b.height) <= most;
}

/// Returns the intersection of two rectangles, divided by their union.
inline double iou_of(const OracleRect& a, const OracleRect& b) {
  const double width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const double height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  const double both = width * height;
  return both / (a.width * a.height + b.width * b.height - both);
}

/// Returns for each box the sum of its IoUs above 1/2. Each IoU is first rounded down to a multiple
/// of 2^-15.
inline std::vector<float> oracle_agreement(const std::vector<Box>& boxes) {
  std::vector<float> sums;
  for (const Box& box : boxes) {
    double sum = 0;
    for (const Box& other : boxes) {
      const OracleRect a = rounded(box);
      const OracleRect b = rounded(other);
      if (a.width == 0 || b.width == 0 || iou_of(a, b) <= 0.5) continue;
      sum += std::floor(std::ldexp(iou_of(a, b), 15));
    }
    sums.push_back(static_cast<float>(std::ldexp(sum, -15)));
  }
  return sums;
}

struct OracleGroup {
  std::vector<std::uint32_t> members;  // in ascending order
  OracleRect mean;
  float score;
};

class GroupsOracle {
 public:
  GroupsOracle(const std::vector<Box>& boxes, const std::vector<float>& scores,
               std::uint32_t min_neighbours)
      : min_neighbours_(min_neighbours), seen_(boxes.size()) {
    for (const Box& box : boxes) rects_.push_back(rounded(box));
    for (std::uint32_t i = 0; i < boxes.size(); ++i)
      if (rects_[i].width == 0 || std::isnan(scores[i])) seen_[i] = true;
    for (std::uint32_t i = 0; i < boxes.size(); ++i)
      if (!seen_[i]) add_group_around(i);
  }

  /// Returns the kept groups in rank order.
  [[nodiscard]] std::vector<OracleGroup> kept() const {
    std::vector<OracleGroup> out;
    for (const OracleGroup& group : groups_)
      if (std::none_of(groups_.begin(), groups_.end(),
                       [&](const OracleGroup& other) { return removes(other, group); }))
        out.push_back(group);
    // The groups are in the order of their lowest indices. For equal scores, the stable sort keeps
    // this order.
    std::stable_sort(out.begin(), out.end(),
                     [](const OracleGroup& a, const OracleGroup& b) { return a.score > b.score; });
    return out;
  }

 private:
  void add_group_around(std::uint32_t first) {
    std::vector<std::uint32_t> members{first};
    seen_[first] = true;
    for (std::size_t at = 0; at < members.size(); ++at)
      for (std::uint32_t i = 0; i < rects_.size(); ++i)
        if (!seen_[i] && are_similar(rects_[members[at]], rects_[i])) {
          seen_[i] = true;
          members.push_back(i);
        }
    if (members.size() <= min_neighbours_) return;
    std::sort(members.begin(), members.end());
    const auto count = static_cast<float>(members.size());
    groups_.push_back(
        {members, mean_of(members), count / (count + static_cast<float>(min_neighbours_))});
  }

  [[nodiscard]] OracleRect mean_of(const std::vector<std::uint32_t>& members) const {
    const auto mean = [&](double OracleRect::*part) {
      double sum = 0;
      for (const std::uint32_t i : members) sum += rects_[i].*part;
      const float share = 1.0F / static_cast<float>(members.size());
      return static_cast<double>(std::nearbyint(static_cast<float>(sum) * share));
    };
    return {mean(&OracleRect::x), mean(&OracleRect::y), mean(&OracleRect::width),
            mean(&OracleRect::height)};
  }

  [[nodiscard]] static bool removes(const OracleGroup& other, const OracleGroup& group) {
    const std::size_t n = group.members.size();
    const std::size_t m = other.members.size();
    const OracleRect& in = group.mean;
    const OracleRect& out = other.mean;
    const double dx = std::nearbyint(out.width * 0.2);
    const double dy = std::nearbyint(out.height * 0.2);
    return &other != &group && in.x >= out.x - dx && in.y >= out.y - dy &&
           in.x + in.width <= out.x + out.width + dx &&
           in.y + in.height <= out.y + out.height + dy &&
           (m > std::max<std::size_t>(3, n) || n < 3);
  }

  std::uint32_t min_neighbours_;
  std::vector<bool> seen_;
  std::vector<OracleRect> rects_;
  std::vector<OracleGroup> groups_;
};

}  // namespace facepipe::test
