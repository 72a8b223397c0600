// Divides the boxes of a crowd into parts, which several threads work on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include "core/geometry.h"
#include "track/matching.h"
#include "track/neighbours.h"

namespace facepipe::track {

/// A part takes about 50 microseconds.
inline constexpr std::size_t kBoxesOfPart = 256;

[[nodiscard]] inline std::size_t parts_of(std::size_t boxes) {
  return (boxes + kBoxesOfPart - 1) / kBoxesOfPart;
}

/// Returns the indices of the boxes in a part. All parts together have `boxes` boxes.
[[nodiscard]] inline auto of_part(std::size_t part, std::size_t boxes) {
  return std::views::iota(part * kBoxesOfPart, std::min(boxes, (part + 1) * kBoxesOfPart));
}

/// Holds the hidden or the suggested tracks in a frame, and the detections that they may take.
struct TracksOfKind {
  std::vector<Box> boxes;
  std::vector<std::uint32_t> tracks;     ///< the track of each box
  std::vector<bool> seen;                ///< tracks that have taken a detection
  std::vector<std::vector<Pair>> pairs;  ///< the pairs of each part of kBoxesOfPart boxes

  void clear() { boxes.clear(), tracks.clear(); }

  /// Prepares find_part(), and returns the number of parts.
  std::size_t divide() {
    seen.assign(boxes.size(), false);
    pairs.resize(parts_of(boxes.size()));
    return pairs.size();
  }
  void find_part(std::size_t part, const Neighbours& sightings) {
    const auto numbers = of_part(part, boxes.size());
    pairs[part].clear();
    add_pairs(std::span(boxes).subspan(numbers.front(), numbers.size()),
              static_cast<std::uint32_t>(numbers.front()), sightings, pairs[part]);
  }
};

}  // namespace facepipe::track
