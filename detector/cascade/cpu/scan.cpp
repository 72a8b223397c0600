#include "detector/cascade/cpu/scan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "detector/cascade/skipping.h"

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "detector/cascade/cpu/scan.cpp"
#include <hwy/foreach_target.h>
// Highway requires this include to follow foreach_target.h.
#include <hwy/highway.h>

// All instruction sets share the following declarations.
#ifndef FACEPIPE_CASCADE_SCAN
#define FACEPIPE_CASCADE_SCAN
namespace facepipe::detector::cascade {

/// Number of places in a row that are handled together. Their results fit into one word.
constexpr int kChunk = 64;
/// Largest number of windows in a vector.
constexpr std::size_t kMostLanes = 16;

/// Describes neighbouring windows. Each window has a lane of a vector.
struct Group {
  const float* at = nullptr;        ///< first sum of the first window
  const float* inverses = nullptr;  ///< 1 / deviation of the first window
  /// bit i is set while the i-th window has passed all stages so far; updated after each stage
  std::uint32_t wanted = 0;
};

/// Decides whether one window passes a stage. Computes the exact sum of leaves, as OpenCV does.
class OneWindow {
 public:
  OneWindow(const Cascade& cascade, const Tables& tables, const float* at, float inverse)
      : cascade_(cascade), tables_(tables), at_(at), inverse_(inverse) {}

  [[nodiscard]] bool passes(const Stage& stage) const {
    double sum = 0;
    for (std::uint32_t i = 0; i < stage.tree_count; ++i)
      sum += leaf_of(cascade_.trees[stage.first_tree + i]);
    return sum >= double{stage.threshold};
  }

 private:
  [[nodiscard]] double leaf_of(const Tree& tree) const {
    std::int32_t child = 0;
    do {
      const NodeTable& node = tables_.nodes[tree.first_node + static_cast<std::uint32_t>(child)];
      child = value_of(node) < node.threshold ? node.left : node.right;
    } while (child > 0);
    return double{cascade_.leaves[tree.first_leaf + static_cast<std::uint32_t>(-child)]};
  }

  [[nodiscard]] float value_of(const NodeTable& node) const {
    float sum = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(node.rects); ++i) {
      const std::int32_t* const corner = &node.feature.corners[4 * i];
      sum += node.feature.weights[i] *
             ((at_[corner[0]] - at_[corner[1]]) - (at_[corner[2]] - at_[corner[3]]));
    }
    return sum * inverse_;
  }

  const Cascade& cascade_;
  const Tables& tables_;
  const float* at_;
  float inverse_;
};

/// Returns the subset of `windows` that passes a stage. `windows` has a bit for each window of a
/// group.
inline std::uint32_t pass_one_by_one(const Cascade& cascade, const Tables& tables,
                                     const Stage& stage, const Group& group,
                                     std::uint32_t windows) {
  std::uint32_t passed = 0;
  for (; windows != 0; windows &= windows - 1) {
    const int lane = std::countr_zero(windows);
    if (OneWindow(cascade, tables, group.at + lane, group.inverses[lane]).passes(stage))
      passed |= std::uint32_t{1} << lane;
  }
  return passed;
}

}  // namespace facepipe::detector::cascade
#endif

HWY_BEFORE_NAMESPACE();
namespace facepipe::detector::cascade::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::CappedTag<float, kMostLanes>;
using Floats = hn::Vec<FloatTag>;

std::uint32_t bits_of(FloatTag d, hn::Mask<FloatTag> mask) {
  alignas(8) std::array<std::uint8_t, 8> bytes{};
  hn::StoreMaskBits(d, mask, bytes.data());
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(bytes));
}

HWY_INLINE Floats rect_sum(FloatTag d, const float* at, const std::int32_t* corner) {
  const auto top = hn::Sub(hn::LoadU(d, at + corner[0]), hn::LoadU(d, at + corner[1]));
  const auto bottom = hn::Sub(hn::LoadU(d, at + corner[2]), hn::LoadU(d, at + corner[3]));
  return hn::Sub(top, bottom);
}

// All steps before the last product are exact, because their values are whole numbers below 2^24.
template <std::size_t Rects>
HWY_INLINE Floats value_of(FloatTag d, const FeatureTable<Rects>& feature, const float* at,
                           Floats inverse) {
  auto sum = hn::Mul(hn::Set(d, feature.weights[0]), rect_sum(d, at, feature.corners.data()));
  for (std::size_t i = 1; i < Rects; ++i)
    sum = hn::MulAdd(hn::Set(d, feature.weights[i]),
                     rect_sum(d, at, feature.corners.data() + 4 * i), sum);
  return hn::Mul(sum, inverse);
}

template <std::size_t Rects>
HWY_INLINE Floats leaf_of(FloatTag d, const StumpTable<Rects>& stump, const float* at,
                          Floats inverse) {
  const auto is_left = hn::Lt(value_of(d, stump.feature, at, inverse), hn::Set(d, stump.threshold));
  return hn::IfThenElse(is_left, hn::Set(d, stump.left), hn::Set(d, stump.right));
}

// Evaluates all nodes of a tree, children before their parents. The result of a node is the leaf
// that is reached from it.
HWY_INLINE Floats leaf_of(FloatTag d, const Cascade& cascade, const Tables& tables,
                          const Tree& tree, const float* at, Floats inverse) {
  std::array<std::array<float, kMostLanes>, kWidestTree> given;
  const auto given_by = [&](std::int32_t child) HWY_ATTR {
    if (child > 0) return hn::LoadU(d, given[static_cast<std::size_t>(child)].data());
    return hn::Set(d, cascade.leaves[tree.first_leaf + static_cast<std::uint32_t>(-child)]);
  };
  for (std::uint32_t i = tree.node_count - 1;; --i) {
    const NodeTable& node = tables.nodes[tree.first_node + i];
    const auto value = node.rects == 2 ? value_of(d, node.first_two, at, inverse)
                                       : value_of(d, node.feature, at, inverse);
    const auto leaf = hn::IfThenElse(hn::Lt(value, hn::Set(d, node.threshold)), given_by(node.left),
                                     given_by(node.right));
    if (i == 0) return leaf;
    hn::StoreU(leaf, d, given[i].data());
  }
}

/// Evaluates a stage for one group or for four groups. With four groups, each value of a table is
/// loaded only once.
class StageOfGroups {
 public:
  StageOfGroups(const Cascade& cascade, const Tables& tables, const StageTable& stage)
      : cascade_(cascade), tables_(tables), stage_(stage) {}

  HWY_INLINE void pass(Group& group) const {
    const FloatTag d;
    auto sum = hn::Zero(d);
    const auto inverse = hn::LoadU(d, group.inverses);
    each_leaf([&](const auto& leaf) HWY_ATTR { sum = hn::Add(sum, leaf(group.at, inverse)); });
    decide(group, sum);
  }

  HWY_INLINE void pass_four(Group* groups) const {
    const FloatTag d;
    auto sum0 = hn::Zero(d);
    auto sum1 = sum0;
    auto sum2 = sum0;
    auto sum3 = sum0;
    const auto inverse0 = hn::LoadU(d, groups[0].inverses);
    const auto inverse1 = hn::LoadU(d, groups[1].inverses);
    const auto inverse2 = hn::LoadU(d, groups[2].inverses);
    const auto inverse3 = hn::LoadU(d, groups[3].inverses);
    each_leaf([&](const auto& leaf) HWY_ATTR {
      sum0 = hn::Add(sum0, leaf(groups[0].at, inverse0));
      sum1 = hn::Add(sum1, leaf(groups[1].at, inverse1));
      sum2 = hn::Add(sum2, leaf(groups[2].at, inverse2));
      sum3 = hn::Add(sum3, leaf(groups[3].at, inverse3));
    });
    decide(groups[0], sum0);
    decide(groups[1], sum1);
    decide(groups[2], sum2);
    decide(groups[3], sum3);
  }

 private:
  /// Calls add(leaf) for each tree. leaf(at, inverse) returns the leaf that the tree chooses.
  template <typename Add>
  HWY_INLINE void each_leaf(const Add& add) const {
    const FloatTag d;
    if (!cascade_.only_stumps()) {
      for (std::uint32_t i = 0; i < stage_.exact.tree_count; ++i) {
        const Tree& tree = cascade_.trees[stage_.exact.first_tree + i];
        add([&](const float* at, Floats inverse)
                HWY_ATTR { return leaf_of(d, cascade_, tables_, tree, at, inverse); });
      }
      return;
    }
    const auto each_of = [&](const auto* stumps, std::uint32_t count) HWY_ATTR {
      for (std::uint32_t i = 0; i < count; ++i)
        add([&](const float* at, Floats inverse)
                HWY_ATTR { return leaf_of(d, stumps[i], at, inverse); });
    };
    each_of(tables_.pairs.data() + stage_.first_pair, stage_.pair_count);
    each_of(tables_.triples.data() + stage_.first_triple, stage_.triple_count);
  }

  HWY_INLINE void decide(Group& group, Floats sum) const {
    const FloatTag d;
    const float threshold = stage_.exact.threshold;
    const auto above = hn::Ge(sum, hn::Set(d, threshold + stage_.doubt));
    const auto not_below = hn::Ge(sum, hn::Set(d, threshold - stage_.doubt));
    const std::uint32_t sure = bits_of(d, above) & group.wanted;
    const std::uint32_t unsure = bits_of(d, not_below) & group.wanted & ~sure;
    group.wanted = sure | pass_one_by_one(cascade_, tables_, stage_.exact, group, unsure);
  }

  const Cascade& cascade_;
  const Tables& tables_;
  const StageTable& stage_;
};

/// Clears the bits of windows that don't pass a stage in `wanted` of each group.
void pass_stage(const Cascade& cascade, const Tables& tables, std::size_t index, Group* groups,
                std::size_t count) {
  const StageTable& stage = tables.stages[index];
  if (tables.widest_tree > kWidestTree) {
    for (std::size_t k = 0; k < count; ++k)
      groups[k].wanted = pass_one_by_one(cascade, tables, stage.exact, groups[k], groups[k].wanted);
    return;
  }
  const StageOfGroups of_groups(cascade, tables, stage);
  for (; count >= 4; groups += 4, count -= 4) of_groups.pass_four(groups);
  for (; count > 0; ++groups, --count) of_groups.pass(*groups);
}

std::size_t lanes() { return hn::Lanes(FloatTag()); }

/// Returns which windows have enough contrast, and writes kChunk inverses. The windows lie at
/// `places` successive places (at most kChunk). `sums` points to the first sum of the first window.
/// `corners` are the distances of the inner window's corners from a window's first sum.
std::uint64_t with_contrast(const Cascade& cascade, const float* sums, const std::uint32_t* squares,
                            const std::array<std::ptrdiff_t, 4>& corners, int places,
                            float* inverses) {
  using DoubleTag = hn::CappedTag<double, kMostLanes>;
  const DoubleTag d;
  const hn::Rebind<float, DoubleTag> df;
  const hn::Rebind<std::int32_t, DoubleTag> di;
  const auto area = hn::Set(d, (cascade.window.width - 2.0) * (cascade.window.height - 2.0));
  const auto sum_at = [&](const float* at) HWY_ATTR {
    const auto top = hn::Sub(hn::LoadU(df, at + corners[0]), hn::LoadU(df, at + corners[1]));
    const auto bottom = hn::Sub(hn::LoadU(df, at + corners[2]), hn::LoadU(df, at + corners[3]));
    return hn::PromoteTo(d, hn::Sub(top, bottom));
  };
  const auto square_at = [&](const std::uint32_t* from) HWY_ATTR {
    // the differences are below 2^31, so they fit in 32 signed bits
    const auto* const at = reinterpret_cast<const std::int32_t*>(from);
    const auto top = hn::Sub(hn::LoadU(di, at + corners[0]), hn::LoadU(di, at + corners[1]));
    const auto bottom = hn::Sub(hn::LoadU(di, at + corners[2]), hn::LoadU(di, at + corners[3]));
    return hn::PromoteTo(d, hn::Sub(top, bottom));
  };
  std::uint64_t enough = 0;
  for (int i = 0; i < kChunk; i += static_cast<int>(hn::Lanes(d))) {
    const auto sum = sum_at(sums + i);
    const auto spread = hn::Sub(hn::Mul(area, square_at(squares + i)), hn::Mul(sum, sum));
    const auto positive = hn::Gt(spread, hn::Zero(d));
    const auto safe = hn::IfThenElse(positive, spread, hn::Set(d, 1.0));
    const auto inverse = hn::DemoteTo(df, hn::Div(hn::Set(d, 1.0), hn::Sqrt(safe)));
    const auto is_enough =
        hn::And(positive, hn::Lt(hn::Mul(area, hn::PromoteTo(d, inverse)), hn::Set(d, 0.1)));
    hn::StoreU(inverse, df, inverses + i);
    alignas(8) std::array<std::uint8_t, 8> bytes{};
    hn::StoreMaskBits(d, is_enough, bytes.data());
    enough |= std::bit_cast<std::uint64_t>(bytes) << i;
  }
  return places >= kChunk ? enough : enough & ((std::uint64_t{1} << places) - 1);
}

}  // namespace facepipe::detector::cascade::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace facepipe::detector::cascade {
namespace {

HWY_EXPORT(pass_stage);
HWY_EXPORT(with_contrast);
HWY_EXPORT(lanes);

/// Number of places in a row of a tile with steps of 1 pixel; half as many with steps of 2.
constexpr int kTilePlaces = 256;
constexpr int kPadding = kChunk;  ///< room after a row; vectors read beyond the last place

int tile_places(int step) { return kTilePlaces / step; }

// Returns how many rows a tile can have. Its sums stay below 2^24, so single precision represents
// them exactly.
int most_rows(Size window, const Level& level) {
  constexpr int kMostPixels = (1 << 24) / 255;
  const int columns = (tile_places(level.step) - 1) * level.step + window.width;
  return std::max(1, (kMostPixels / columns - window.height) / level.step);
}

TileLayout layout_of(Size window, int step) {
  const int columns = tile_places(step) * step + window.width + 1;
  const std::ptrdiff_t half = (columns + 1) / 2 + kPadding;
  return step == 1 ? TileLayout{1, columns + kPadding, 0} : TileLayout{2, 2 * half, half};
}

/// Fills memory.sums and memory.squares for a tile that begins at pixel `first` of the level. Each
/// value is the sum over all pixels above it and to its left.
void sum_up(const GreyPicture& picture, Place first, Size pixels, const TileLayout& layout,
            ScanMemory& memory) {
  const auto words = static_cast<std::size_t>(layout.stride * (pixels.height + 1));
  // Vectors read beyond the last row, but no decision depends on these values.
  if (memory.sums.size() < words + kPadding) memory.sums.resize(words + kPadding);
  if (memory.squares.size() < words + kPadding) memory.squares.resize(words + kPadding);
  std::fill_n(memory.sums.begin(), layout.stride, 0.0F);
  std::fill_n(memory.squares.begin(), layout.stride, 0U);
  for (int y = 0; y < pixels.height; ++y) {
    const std::uint8_t* const row = picture.pixels + (first.y + y) * picture.stride + first.x;
    const float* const above = memory.sums.data() + y * layout.stride;
    const std::uint32_t* const squares_above = memory.squares.data() + y * layout.stride;
    float* const sums = memory.sums.data() + (y + 1) * layout.stride;
    std::uint32_t* const squares = memory.squares.data() + (y + 1) * layout.stride;
    sums[0] = 0;
    squares[0] = 0;
    std::uint32_t sum = 0;
    std::uint32_t square = 0;
    const auto put = [&](int x, std::ptrdiff_t to) {
      const std::uint32_t pixel = row[x];
      sum += pixel;
      square += pixel * pixel;
      sums[to] = above[to] + static_cast<float>(sum);
      squares[to] = squares_above[to] + square;
    };
    if (layout.step == 1) {
      for (int x = 0; x < pixels.width; ++x) put(x, x + 1);
      continue;
    }
    for (int x = 0; x < pixels.width; ++x) put(x, layout.column(x + 1));
  }
}

/// Evaluates all windows of a tile, one stage after the other.
class TileScan {
 public:
  TileScan(const Cascade& cascade, const Tables& tables, ScanMemory& memory)
      : cascade_(cascade), tables_(tables), memory_(memory), lanes_(HWY_DYNAMIC_DISPATCH(lanes)()) {
    const Size window = cascade.window;
    const auto corner = [&](int x, int y) { return tables.layout.at(x, y); };
    corners_ = {corner(1, 1), corner(window.width - 1, 1), corner(1, window.height - 1),
                corner(window.width - 1, window.height - 1)};
  }

  /// Calls found(row, place) for each window of the tile that passes, in raster order. `places` are
  /// the tile's number of places in a row, and its number of rows. memory.sums and memory.squares
  /// must have been filled. memory.skips must have the values that the scan of the tile to the left
  /// has set.
  template <typename Found>
  void scan(Size places, const Found& found) {
    begin(places);
    for (std::size_t stage = 1; stage < tables_.stages.size() && !chunks_.empty(); ++stage)
      pass(stage);
    for (const Chunk& chunk : chunks_)
      for (std::uint64_t bits = chunk.wanted; bits != 0; bits &= bits - 1)
        found(chunk.row, chunk.place + std::countr_zero(bits));
  }

 private:
  /// Holds neighbouring places of a row. `wanted` has a bit for each place; a bit is set while the
  /// window has passed all stages so far.
  struct Chunk {
    int row = 0;
    int place = 0;
    std::uint64_t wanted = 0;
  };

  [[nodiscard]] std::ptrdiff_t sum_of(const Chunk& chunk) const {
    return chunk.row * tables_.layout.step * tables_.layout.stride + chunk.place;
  }
  [[nodiscard]] float* inverses_of(const Chunk& chunk) const {
    return memory_.inverses.data() + chunk.row * kTilePlaces + chunk.place;
  }

  /// Checks the contrast and evaluates the first stage. Removes the windows that OpenCV would skip
  /// (see skipping.h).
  void begin(Size places) {
    memory_.inverses.resize(static_cast<std::size_t>(places.height * kTilePlaces + kPadding));
    chunks_.clear();
    std::vector<std::uint64_t> contrast;
    for (int row = 0; row < places.height; ++row)
      for (int place = 0; place < places.width; place += kChunk) {
        Chunk chunk{row, place, 0};
        const std::ptrdiff_t first = sum_of(chunk);
        chunk.wanted = HWY_DYNAMIC_DISPATCH(with_contrast)(
            cascade_, memory_.sums.data() + first, memory_.squares.data() + first, corners_,
            std::min(kChunk, places.width - place), inverses_of(chunk));
        chunks_.push_back(chunk);
        contrast.push_back(chunk.wanted);
      }
    pass_all(0);
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      Chunk& chunk = chunks_[i];
      chunk.wanted &= looked_at(contrast[i] & ~chunk.wanted,
                                memory_.skips[static_cast<std::size_t>(chunk.row)]);
    }
    forget_empty();
  }

  void pass(std::size_t stage) {
    pass_all(stage);
    forget_empty();
  }

  // Each group begins with a window that is still wanted. So there are few groups if these windows
  // lie close together.
  void pass_all(std::size_t stage) {
    groups_.clear();
    const std::uint64_t all = (std::uint64_t{1} << lanes_) - 1;
    for (const Chunk& chunk : chunks_)
      for (std::uint64_t left = chunk.wanted; left != 0;) {
        const int first = std::countr_zero(left);
        const std::uint64_t those = (left >> first) & all;
        groups_.push_back({memory_.sums.data() + sum_of(chunk) + first, inverses_of(chunk) + first,
                           static_cast<std::uint32_t>(those)});
        left &= ~(those << first);
      }
    HWY_DYNAMIC_DISPATCH(pass_stage)(cascade_, tables_, stage, groups_.data(), groups_.size());
    const Group* group = groups_.data();
    for (Chunk& chunk : chunks_) {
      const float* const row = memory_.sums.data() + sum_of(chunk);
      std::uint64_t passed = 0;
      for (std::uint64_t left = chunk.wanted; left != 0; ++group) {
        const auto first = static_cast<int>(group->at - row);
        passed |= std::uint64_t{group->wanted} << first;
        left &= ~(all << first);
      }
      chunk.wanted = passed;
    }
  }

  void forget_empty() {
    std::erase_if(chunks_, [](const Chunk& chunk) { return chunk.wanted == 0; });
  }

  const Cascade& cascade_;
  const Tables& tables_;
  ScanMemory& memory_;
  std::size_t lanes_;
  std::array<std::ptrdiff_t, 4> corners_{};
  std::vector<Chunk> chunks_;
  std::vector<Group> groups_;
};

}  // namespace

Scanner::Scanner(Cascade cascade)
    : cascade_(std::move(cascade)),
      dense_(make_tables(cascade_, layout_of(cascade_.window, 1))),
      sparse_(make_tables(cascade_, layout_of(cascade_.window, 2))) {}

void Scanner::scan(const Level& level, const GreyPicture& picture, int first_row, int rows,
                   ScanMemory& memory, std::vector<Place>& passed) const {
  const int most = most_rows(cascade_.window, level);
  for (; rows > most; first_row += most, rows -= most)
    scan(level, picture, first_row, most, memory, passed);
  const Tables& tables = level.step == 1 ? dense_ : sparse_;
  const std::size_t first = passed.size();
  memory.skips.assign(static_cast<std::size_t>(rows), 0);
  TileScan tile(cascade_, tables, memory);
  const int width = tile_places(level.step);
  for (int column = 0; column < level.places.width; column += width) {
    const Place origin{column * level.step, first_row * level.step};
    const int places = std::min(width, level.places.width - column);
    sum_up(picture, origin,
           {(places - 1) * level.step + cascade_.window.width,
            (rows - 1) * level.step + cascade_.window.height},
           tables.layout, memory);
    tile.scan({places, rows}, [&](int row, int place) {
      passed.push_back({origin.x + place * level.step, origin.y + row * level.step});
    });
  }
  std::sort(passed.begin() + static_cast<std::ptrdiff_t>(first), passed.end(),
            [](const Place& a, const Place& b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
}

}  // namespace facepipe::detector::cascade
#endif
