// A cascade as the scan of the CPU reads it: features as distances in a tile of sums, stages with
// what a sum in single precision may be wrong by.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "detector/cascade/model/cascade.h"

namespace facepipe::detector::cascade {

/// How sums of grey levels over a part of a level lie in memory. Row y of the tile holds the sums
/// over all rows above it, at `column(x)` over all columns left of it: one row and one column more
/// than the tile has pixels. Where the window moves by 2 pixels, even columns stand before odd
/// ones, so that places side by side read values side by side.
struct TileLayout {
  int step = 1;
  std::ptrdiff_t stride = 0;  ///< from row to row
  std::ptrdiff_t odd = 0;     ///< where odd columns begin, with step 2

  [[nodiscard]] std::ptrdiff_t column(int x) const {
    return step == 1 ? x : x / 2 + (x % 2 == 0 ? 0 : odd);
  }
  [[nodiscard]] std::ptrdiff_t at(int x, int y) const { return y * stride + column(x); }
};

/// Corners of a feature's rectangles, four each, as distances from a window's first sum:
/// top left, top right, lower left, lower right.
template <std::size_t Rects>
struct FeatureTable {
  std::array<std::int32_t, 4 * Rects> corners{};
  std::array<float, Rects> weights{};
};

template <std::size_t Rects>
struct StumpTable {
  FeatureTable<Rects> feature;
  float threshold = 0;
  float left = 0;
  float right = 0;
};

/// A node of any tree; the weight of a third rectangle that isn't there is 0.
struct NodeTable {
  FeatureTable<3> feature;
  FeatureTable<2> first_two;  ///< all of it, where there are no more
  int rects = 0;
  float threshold = 0;
  std::int32_t left = 0;
  std::int32_t right = 0;
};

/// Stumps of two rectangles and of three stand apart, in any order: a sum in single precision is
/// near enough where it is further from the threshold than `doubt`.
struct StageTable {
  std::uint32_t first_pair = 0;
  std::uint32_t pair_count = 0;
  std::uint32_t first_triple = 0;
  std::uint32_t triple_count = 0;
  Stage exact;      ///< its trees, in the file's order
  float doubt = 0;  ///< bounds what the order of summands and their rounding change
};

/// All of it for one layout.
struct Tables {
  TileLayout layout;
  std::vector<StageTable> stages;
  std::vector<StumpTable<2>> pairs;
  std::vector<StumpTable<3>> triples;
  std::vector<NodeTable> nodes;   ///< as Cascade::nodes
  std::uint32_t widest_tree = 1;  ///< nodes of the largest tree
};

/// A cascade with larger trees is computed window by window.
inline constexpr std::uint32_t kWidestTree = 8;

[[nodiscard]] Tables make_tables(const Cascade& cascade, const TileLayout& layout);

}  // namespace facepipe::detector::cascade
