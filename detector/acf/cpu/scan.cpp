#include "detector/acf/cpu/scan.h"

#include <algorithm>
#include <bit>
#include <span>

#include "detector/acf/channels.h"

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "detector/acf/cpu/scan.cpp"
#include <hwy/foreach_target.h>
// Highway requires this include to follow foreach_target.h.
#include <hwy/highway.h>

// All instruction sets share the following declarations.
#ifndef FACEPIPE_ACF_SCAN
#define FACEPIPE_ACF_SCAN
namespace facepipe::detector::acf {

/// Largest number of windows in a vector.
constexpr int kMostLanes = 16;

/// Holds the state of neighbouring windows after some trees. Each window has a lane of a vector.
struct Group {
  std::uint32_t alive = 0;  ///< bit i is set while no tree has rejected the i-th window
  std::size_t trees = 0;    ///< number of trees that have been walked
  alignas(64) std::array<std::int32_t, kMostLanes> sums{};
};

/// Walks the remaining trees of one window. Returns false if a tree rejects the window.
inline bool walk_one(std::span<const PlacedTree> trees, std::int32_t threshold, const float* at,
                     std::int32_t& sum) {
  for (const PlacedTree& tree : trees) {
    const bool is_right = !(at[tree.offsets[0]] < tree.thresholds[0]);
    const std::size_t child = is_right ? 2 : 1;
    const bool is_upper = !(at[tree.offsets[child]] < tree.thresholds[child]);
    sum += tree.leaves[2 * static_cast<std::size_t>(is_right) + static_cast<std::size_t>(is_upper)];
    if (sum <= threshold) return false;
  }
  return true;
}

struct PlaceRow {
  const float* first = nullptr;  ///< first cell of the row's first window
  int places = 0;
  int row = 0;
};

}  // namespace facepipe::detector::acf
#endif

HWY_BEFORE_NAMESPACE();
namespace facepipe::detector::acf::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, kMostLanes>;
using Words = hn::RebindToSigned<Lanes>;

HWY_INLINE std::uint32_t bits_of(hn::Mask<Words> mask) {
  alignas(8) std::array<std::uint8_t, 8> bytes{};
  hn::StoreMaskBits(Words(), mask, bytes.data());
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(bytes));
}

/// Walks the trees until only a few windows of the group are left. For few windows, it is faster to
/// walk the trees for each window separately.
void walk(std::span<const PlacedTree> trees, std::int32_t threshold, const float* at,
          Group& group) {
  const Lanes d;
  const Words di;
  const int few = static_cast<int>(hn::Lanes(d)) / 4;
  auto sum = hn::Zero(di);
  const auto least = hn::Set(di, threshold);
  std::uint32_t alive = group.alive;
  std::size_t i = 0;
  for (; i < trees.size() && std::popcount(alive) > few; ++i) {
    const PlacedTree& tree = trees[i];
    const auto is_left = [&](std::size_t node) HWY_ATTR {
      const auto cell = hn::LoadU(d, at + tree.offsets[node]);
      return hn::RebindMask(di, hn::Lt(cell, hn::Set(d, tree.thresholds[node])));
    };
    const auto leaf = [&](std::size_t node) HWY_ATTR { return hn::Set(di, tree.leaves[node]); };
    const auto left = hn::IfThenElse(is_left(1), leaf(0), leaf(1));
    const auto right = hn::IfThenElse(is_left(2), leaf(2), leaf(3));
    sum = hn::Add(sum, hn::IfThenElse(is_left(0), left, right));
    alive &= bits_of(hn::Gt(sum, least));
  }
  hn::Store(sum, di, group.sums.data());
  group.alive = alive;
  group.trees = i;
}

void walk_row(std::span<const PlacedTree> trees, Limits limits, const PlaceRow& row,
              std::vector<Place>& passed) {
  const int step = static_cast<int>(hn::Lanes(Lanes()));
  for (int column = 0; column < row.places; column += step) {
    const float* const at = row.first + column;
    Group group;
    group.alive = (std::uint32_t{1} << std::min(step, row.places - column)) - 1;
    walk(trees, limits.threshold, at, group);
    for (std::uint32_t left = group.alive; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      std::int32_t sum = group.sums[static_cast<std::size_t>(lane)];
      if (walk_one(trees.subspan(group.trees), limits.threshold, at + lane, sum) &&
          sum >= limits.least_sum)
        passed.push_back({column + lane, row.row, sum});
    }
  }
}

}  // namespace facepipe::detector::acf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace facepipe::detector::acf {

HWY_EXPORT(walk_row);

Scanner::Scanner(const Model& model, Size padded, std::int32_t least_sum)
    : limits_{model.threshold, least_sum} {
  const Size window = model.window_cells();
  places_ = {std::max(0, padded.width - window.width + 1),
             std::max(0, padded.height - window.height + 1)};
  const std::ptrdiff_t stride = row_stride(padded.width);
  const std::ptrdiff_t plane = stride * padded.height;
  for (const Tree& tree : model.trees) {
    PlacedTree& placed = trees_.emplace_back();
    placed.thresholds = tree.thresholds;
    placed.leaves = tree.leaves;
    for (std::size_t i = 0; i < tree.features.size(); ++i) {
      const auto feature = static_cast<std::ptrdiff_t>(tree.features[i]);
      const std::ptrdiff_t row = feature % window.height;
      const std::ptrdiff_t column = feature / window.height % window.width;
      const std::ptrdiff_t channel = feature / window.height / window.width;
      placed.offsets[i] = static_cast<std::int32_t>(channel * plane + row * stride + column);
    }
  }
}

void Scanner::scan(const Planes& cells, int first_row, int rows, std::vector<Place>& passed) const {
  for (int row = first_row; row < first_row + rows; ++row) HWY_DYNAMIC_DISPATCH(walk_row)
  (trees_, limits_, {cells.row(0, row), places_.width, row}, passed);
}

}  // namespace facepipe::detector::acf
#endif
