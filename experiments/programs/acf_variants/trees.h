// Evaluates a window's trees, which threads share as in Van Ranst et al. Kernels, and tests without
// a device, use this header.
#pragma once

#include <cstdint>

#include "core/host_device.h"
#include "core/turning.h"
#include "detector/acf/cuda/kernels.h"

namespace facepipe::acf_variants {

/// Returns the leaf that a tree adds for the window whose first cell is `window`.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline std::int32_t leaf_of(
    const detector::acf::DeviceTree& tree, const float* window) {
  const auto is_left = [&](int node) {
    const auto* const bytes = reinterpret_cast<const char*>(window);
    return *reinterpret_cast<const float*>(bytes + tree.offsets[node]) < tree.thresholds[node];
  };
  if (is_left(0)) return tree.leaves[is_left(1) ? 0 : 1];
  return tree.leaves[is_left(2) ? 2 : 3];
}

/// Adds the leaves of the trees `first` to `end` - 1 to a window's sum one by one. Returns false as
/// soon as the sum is `threshold` or less.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline bool walk(const detector::acf::DeviceTree* trees,
                                                    int first, int end, std::int32_t threshold,
                                                    const float* window, std::int32_t& sum) {
  for (int i = first; i < end; ++i) {
    sum += leaf_of(trees[i], window);
    if (sum <= threshold) return false;
  }
  return true;
}

/// Consecutive trees, which any threads can evaluate. `sum` is what the trees add to a window's
/// sum. `least` is the lowest value of this sum after any of the trees, or kNoSum if there are no
/// trees. So a group decides like its trees one by one.
struct Group {
  static constexpr std::int32_t kNoSum = 0x7fffffff;
  std::int32_t sum = 0;
  std::int32_t least = kNoSum;
};

[[nodiscard]] FACEPIPE_HOST_DEVICE inline Group followed_by(const Group& first, const Group& next) {
  const std::int32_t of_next = next.least == Group::kNoSum ? Group::kNoSum : first.sum + next.least;
  return {first.sum + next.sum, of_next < first.least ? of_next : first.least};
}

/// Says when threads that share the trees give up a window.
enum class Exit {
  as_one_by_one,  ///< if the sum is too low after any tree, as in our detector
  /// As published (listing 2): if the sum is too low after a whole group. Windows whose sum
  /// recovers within a group pass, too.
  of_whole_groups
};

/// The scale of a window, and its place in this scale.
struct WindowPlace {
  int scale = 0;
  PixelPlace at;
};

/// Returns the scale and place of the window with the number `place` among all windows of all
/// scales.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline WindowPlace window_of(
    const detector::acf::DeviceScale* scales, int scale_count, std::uint32_t place) {
  int low = 0;
  for (int high = scale_count; high - low > 1;) {
    const int middle = (low + high) / 2;
    (scales[middle].first_place <= place ? low : high) = middle;
  }
  const auto number = static_cast<int>(place - scales[low].first_place);
  const int across = scales[low].scale.places.width;
  return {low, {number % across, number / across}};
}

}  // namespace facepipe::acf_variants
