// Holds a cascade in the form for the scan on the CPU. Features are distances in a tile of sums.
// Each stage has a bound of the error of a sum in single precision.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "detector/cascade/model/cascade.h"

namespace facepipe::detector::cascade {

/// Describes the layout in memory of a tile: sums of grey levels over a part of a level. Row y of
/// the tile holds sums over all rows above it; `column(x)` holds sums over all columns to the left
/// of x. So a tile has one row and one column more than it has pixels. If the window moves by 2
/// pixels, even columns are stored before odd columns. Then neighbouring places read neighbouring
/// values.
struct TileLayout {
  int step = 1;
  std::ptrdiff_t stride = 0;  ///< number of values from one row to the next
  std::ptrdiff_t odd = 0;     ///< index at which odd columns begin, with step 2

  [[nodiscard]] std::ptrdiff_t column(int x) const {
    return step == 1 ? x : x / 2 + (x % 2 == 0 ? 0 : odd);
  }
  [[nodiscard]] std::ptrdiff_t at(int x, int y) const { return y * stride + column(x); }
};

/// Holds the four corners of each of a feature's rectangles, as distances from a window's first
/// sum. Their order is top left, top right, lower left, lower right.
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

/// Describes a node of any tree. If its feature has only two rectangles, the third weight is 0.
struct NodeTable {
  FeatureTable<3> feature;
  FeatureTable<2> first_two;  ///< the whole feature if it has only two rectangles
  int rects = 0;
  float threshold = 0;
  std::int32_t left = 0;
  std::int32_t right = 0;
};

/// Describes a stage. Stumps with two rectangles and stumps with three are stored apart, in any
/// order. If a sum in single precision differs from the threshold by more than `doubt`, this sum
/// decides. Otherwise the exact sum decides.
struct StageTable {
  std::uint32_t first_pair = 0;
  std::uint32_t pair_count = 0;
  std::uint32_t first_triple = 0;
  std::uint32_t triple_count = 0;
  Stage exact;      ///< the stage with its trees in the file's order
  float doubt = 0;  ///< bound of the error that the order and the rounding of the summands cause
};

/// Holds all tables for one layout.
struct Tables {
  TileLayout layout;
  std::vector<StageTable> stages;
  std::vector<StumpTable<2>> pairs;
  std::vector<StumpTable<3>> triples;
  std::vector<NodeTable> nodes;   ///< the same order as Cascade::nodes
  std::uint32_t widest_tree = 1;  ///< number of nodes of the largest tree
};

/// If a cascade has trees with more nodes than this, its windows are evaluated one by one.
inline constexpr std::uint32_t kWidestTree = 8;

[[nodiscard]] Tables make_tables(const Cascade& cascade, const TileLayout& layout);

}  // namespace facepipe::detector::cascade
