#include "detector/cascade/cpu/scan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

// Highway compiles what follows once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "detector/cascade/cpu/scan.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, as Highway wants it.
#include <hwy/highway.h>

// What all instruction sets share.
#ifndef FACEPIPE_CASCADE_SCAN
#define FACEPIPE_CASCADE_SCAN
namespace facepipe::cascade {

/// Places of a row whose fates fit a word.
constexpr int kChunk = 64;
constexpr std::size_t kChunkLanes = 64;

/// A part of a level in which places lie, with its sums.
struct Tile {
  const Tables* tables = nullptr;
  const float* sums = nullptr;
  const std::uint32_t* squares = nullptr;
  float* inverses = nullptr;  ///< kChunk of them: 1 / deviation, 0 where the window is refused
  Size window;
};

/// The decisions of one window: of stages, nodes, leaves. The exact sum, as OpenCV computes it.
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

inline std::uint64_t pass_one_by_one(const Cascade& cascade, const Tables& tables,
                                     std::size_t stage, const float* at, const float* inverses,
                                     std::uint64_t wanted) {
  std::uint64_t passed = 0;
  for (; wanted != 0; wanted &= wanted - 1) {
    const int place = std::countr_zero(wanted);
    if (OneWindow(cascade, tables, at + place, inverses[place]).passes(cascade.stages[stage]))
      passed |= std::uint64_t{1} << place;
  }
  return passed;
}

}  // namespace facepipe::cascade
#endif

HWY_BEFORE_NAMESPACE();
namespace facepipe::cascade::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::CappedTag<float, kChunkLanes>;
using Floats = hn::Vec<FloatTag>;
using Mask = hn::Mask<FloatTag>;

std::uint64_t bits_of(FloatTag d, Mask mask) {
  alignas(8) std::array<std::uint8_t, 8> bytes{};
  hn::StoreMaskBits(d, mask, bytes.data());
  return std::bit_cast<std::uint64_t>(bytes);
}

HWY_INLINE Floats rect_sum(FloatTag d, const float* at, const std::int32_t* corner) {
  const auto top = hn::Sub(hn::LoadU(d, at + corner[0]), hn::LoadU(d, at + corner[1]));
  const auto bottom = hn::Sub(hn::LoadU(d, at + corner[2]), hn::LoadU(d, at + corner[3]));
  return hn::Sub(top, bottom);
}

// All of it is exact up to the last product: whole numbers below 2^24.
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
HWY_INLINE Floats add_stumps(FloatTag d, const StumpTable<Rects>* stumps, std::size_t count,
                             const float* at, Floats inverse, Floats sum) {
  for (std::size_t i = 0; i < count; ++i) {
    const StumpTable<Rects>& stump = stumps[i];
    const auto value = value_of(d, stump.feature, at, inverse);
    const auto is_left = hn::Lt(value, hn::Set(d, stump.threshold));
    sum = hn::Add(sum, hn::IfThenElse(is_left, hn::Set(d, stump.left), hn::Set(d, stump.right)));
  }
  return sum;
}

// All nodes are computed; a window is at those that its decisions lead to.
HWY_INLINE Floats add_tree(FloatTag d, const Cascade& cascade, const Tables& tables,
                           const Tree& tree, const float* at, Floats inverse, Floats sum) {
  std::array<float, kWidestTree * kChunkLanes> reached;  // 1 where a window comes to the node
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < tree.node_count; ++i)
    hn::StoreU(hn::Set(d, i == 0 ? 1.0F : 0.0F), d, &reached[i * lanes]);
  const auto go = [&](std::int32_t child, Mask those) {
    const auto here = hn::IfThenElseZero(those, hn::Set(d, 1.0F));
    if (child > 0) {
      float* const to = &reached[static_cast<std::size_t>(child) * lanes];
      hn::StoreU(hn::Max(here, hn::LoadU(d, to)), d, to);
    } else {
      const float leaf = cascade.leaves[tree.first_leaf + static_cast<std::uint32_t>(-child)];
      sum = hn::Add(sum, hn::IfThenElseZero(those, hn::Set(d, leaf)));
    }
  };
  for (std::size_t i = 0; i < tree.node_count; ++i) {
    const NodeTable& node = tables.nodes[tree.first_node + i];
    const auto at_node = hn::Gt(hn::LoadU(d, &reached[i * lanes]), hn::Zero(d));
    const auto is_left = hn::Lt(value_of(d, node.feature, at, inverse), hn::Set(d, node.threshold));
    go(node.left, hn::And(at_node, is_left));
    go(node.right, hn::AndNot(is_left, at_node));
  }
  return sum;
}

/// A stage at places side by side, as many as a vector has lanes.
class StageAtPlaces {
 public:
  StageAtPlaces(const Cascade& cascade, const Tables& tables, std::size_t stage)
      : cascade_(cascade), tables_(tables), index_(stage), stage_(tables.stages[stage]) {}

  /// Of `wanted`, those that pass.
  [[nodiscard]] HWY_INLINE std::uint64_t passing(const float* at, const float* inverses,
                                                 std::uint64_t wanted) const {
    const FloatTag d;
    const auto sum = sum_of(d, at, hn::LoadU(d, inverses));
    const float threshold = stage_.exact.threshold;
    const std::uint64_t passing =
        bits_of(d, hn::Ge(sum, hn::Set(d, threshold + stage_.doubt))) & wanted;
    const std::uint64_t doubtful =
        bits_of(d, hn::Ge(sum, hn::Set(d, threshold - stage_.doubt))) & wanted & ~passing;
    return passing | pass_one_by_one(cascade_, tables_, index_, at, inverses, doubtful);
  }

 private:
  [[nodiscard]] HWY_INLINE Floats sum_of(FloatTag d, const float* at, Floats inverse) const {
    auto sum = hn::Zero(d);
    if (cascade_.only_stumps()) {
      sum = add_stumps(d, &tables_.pairs[stage_.first_pair], stage_.pair_count, at, inverse, sum);
      return add_stumps(d, &tables_.triples[stage_.first_triple], stage_.triple_count, at, inverse,
                        sum);
    }
    for (std::uint32_t i = 0; i < stage_.exact.tree_count; ++i)
      sum = add_tree(d, cascade_, tables_, cascade_.trees[stage_.exact.first_tree + i], at, inverse,
                     sum);
    return sum;
  }

  const Cascade& cascade_;
  const Tables& tables_;
  std::size_t index_;
  const StageTable& stage_;
};

/// Of `wanted` (bit i: the place i after `at`), those that pass a stage.
std::uint64_t pass_stage(const Cascade& cascade, const Tables& tables, std::size_t stage,
                         const float* at, const float* inverses, std::uint64_t wanted) {
  if (tables.widest_tree > kWidestTree)
    return pass_one_by_one(cascade, tables, stage, at, inverses, wanted);
  const StageAtPlaces places(cascade, tables, stage);
  const std::size_t lanes = hn::Lanes(FloatTag());
  const std::uint64_t all_lanes =
      lanes == kChunkLanes ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1;
  std::uint64_t passed = 0;
  while (wanted != 0) {
    // From the first place that is left: few vectors, where survivors lie together.
    const int first = std::countr_zero(wanted);
    const std::uint64_t those = (wanted >> first) & all_lanes;
    passed |= places.passing(at + first, inverses + first, those) << first;
    wanted &= ~(those << first);
  }
  return passed;
}

/// The places of a chunk whose windows have contrast enough; fills their tile.inverses.
/// `at` are the distances of the window's corners from the chunk's first sum.
std::uint64_t with_contrast(const Tile& tile, const std::array<std::ptrdiff_t, 4>& corners,
                            int places) {
  using DoubleTag = hn::CappedTag<double, kChunkLanes>;
  const DoubleTag d;
  const hn::Rebind<float, DoubleTag> df;
  const hn::Rebind<std::int32_t, DoubleTag> di;
  const auto area = hn::Set(d, (tile.window.width - 2.0) * (tile.window.height - 2.0));
  const auto sum_at = [&](const float* at) HWY_ATTR {
    const auto top = hn::Sub(hn::LoadU(df, at + corners[0]), hn::LoadU(df, at + corners[1]));
    const auto bottom = hn::Sub(hn::LoadU(df, at + corners[2]), hn::LoadU(df, at + corners[3]));
    return hn::PromoteTo(d, hn::Sub(top, bottom));
  };
  const auto square_at = [&](const std::uint32_t* from) HWY_ATTR {
    const auto* const at = reinterpret_cast<const std::int32_t*>(from);  // below 2^31: it fits
    const auto top = hn::Sub(hn::LoadU(di, at + corners[0]), hn::LoadU(di, at + corners[1]));
    const auto bottom = hn::Sub(hn::LoadU(di, at + corners[2]), hn::LoadU(di, at + corners[3]));
    return hn::PromoteTo(d, hn::Sub(top, bottom));
  };
  std::uint64_t enough = 0;
  for (int i = 0; i < kChunk; i += static_cast<int>(hn::Lanes(d))) {
    const auto sum = sum_at(tile.sums + i);
    const auto spread = hn::Sub(hn::Mul(area, square_at(tile.squares + i)), hn::Mul(sum, sum));
    const auto positive = hn::Gt(spread, hn::Zero(d));
    const auto safe = hn::IfThenElse(positive, spread, hn::Set(d, 1.0));
    const auto inverse = hn::DemoteTo(df, hn::Div(hn::Set(d, 1.0), hn::Sqrt(safe)));
    const auto is_enough =
        hn::And(positive, hn::Lt(hn::Mul(area, hn::PromoteTo(d, inverse)), hn::Set(d, 0.1)));
    hn::StoreU(inverse, df, tile.inverses + i);
    alignas(8) std::array<std::uint8_t, 8> bytes{};
    hn::StoreMaskBits(d, is_enough, bytes.data());
    enough |= std::bit_cast<std::uint64_t>(bytes) << i;
  }
  return places >= kChunk ? enough : enough & ((std::uint64_t{1} << places) - 1);
}

}  // namespace facepipe::cascade::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace facepipe::cascade {
namespace {

HWY_EXPORT(pass_stage);
HWY_EXPORT(with_contrast);

constexpr int kTilePlaces = 256;  ///< in a row, with steps of 1 pixel; half of it with 2
constexpr int kPadding = kChunk;  ///< behind a row: vectors read beyond the last place

int tile_places(int step) { return kTilePlaces / step; }

// A tile's sums stay below 2^24, so that single precision holds them.
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

/// Sums over all pixels above and left, from pixel (x, y) of the level on.
void sum_up(const GreyPicture& picture, Place first, Size pixels, const TileLayout& layout,
            ScanMemory& memory) {
  const auto words = static_cast<std::size_t>(layout.stride * (pixels.height + 1));
  // What lies behind a row is read, and never decides.
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

/// Bits of `failed` whose window is looked at, where after one that fails the next is left out:
/// those before which a run of failures of even length ends. The carry tells of the next word's
/// first place. By an addition, as simdjson finds escaped characters (Langdale and Lemire,
/// "Parsing Gigabytes of JSON per Second", 2019).
std::uint64_t looked_at(std::uint64_t failed, std::uint64_t& skip) {
  constexpr std::uint64_t kEven = 0x5555555555555555;
  failed &= ~skip;
  const std::uint64_t follows = failed << 1 | skip;
  const std::uint64_t odd_starts = failed & ~kEven & ~follows;
  const std::uint64_t sum = odd_starts + failed;
  skip = sum < failed ? 1 : 0;
  const std::uint64_t skipped = (kEven ^ (sum << 1)) & follows;
  return ~skipped;
}

/// One row of a tile: chunk by chunk through all stages.
class RowScan {
 public:
  RowScan(const Cascade& cascade, const Tables& tables, ScanMemory& memory)
      : cascade_(cascade), tables_(tables), memory_(memory) {
    memory_.inverses.resize(2 * kChunk);
    const Size window = cascade.window;
    const auto corner = [&](int x, int y) { return tables.layout.at(x, y); };
    corners_ = {corner(1, 1), corner(window.width - 1, 1), corner(1, window.height - 1),
                corner(window.width - 1, window.height - 1)};
  }

  /// Bits of those of `places` (at most kChunk) from `offset` on that pass all stages.
  [[nodiscard]] std::uint64_t passing(std::ptrdiff_t offset, int places, std::uint64_t& skip) {
    const float* const at = memory_.sums.data() + offset;
    float* const inverses = memory_.inverses.data();
    const Tile tile{&tables_, at, memory_.squares.data() + offset, inverses, cascade_.window};
    const std::uint64_t enough = HWY_DYNAMIC_DISPATCH(with_contrast)(tile, corners_, places);
    std::uint64_t passed = pass(0, at, enough);
    passed &= looked_at(enough & ~passed, skip);
    for (std::size_t stage = 1; stage < tables_.stages.size() && passed != 0; ++stage)
      passed = pass(stage, at, passed);
    return passed;
  }

 private:
  [[nodiscard]] std::uint64_t pass(std::size_t stage, const float* at, std::uint64_t wanted) const {
    return HWY_DYNAMIC_DISPATCH(pass_stage)(cascade_, tables_, stage, at, memory_.inverses.data(),
                                            wanted);
  }

  const Cascade& cascade_;
  const Tables& tables_;
  ScanMemory& memory_;
  std::array<std::ptrdiff_t, 4> corners_{};
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
  RowScan row_scan(cascade_, tables, memory);
  const int width = tile_places(level.step);
  for (int column = 0; column < level.places.width; column += width) {
    const Place origin{column * level.step, first_row * level.step};
    const int places = std::min(width, level.places.width - column);
    sum_up(picture, origin,
           {(places - 1) * level.step + cascade_.window.width,
            (rows - 1) * level.step + cascade_.window.height},
           tables.layout, memory);
    for (int row = 0; row < rows; ++row)
      for (int place = 0; place < places; place += kChunk) {
        std::uint64_t bits = row_scan.passing(row * level.step * tables.layout.stride + place,
                                              std::min(kChunk, places - place),
                                              memory.skips[static_cast<std::size_t>(row)]);
        for (; bits != 0; bits &= bits - 1)
          passed.push_back({origin.x + (place + std::countr_zero(bits)) * level.step,
                            origin.y + row * level.step});
      }
  }
  std::sort(passed.begin() + static_cast<std::ptrdiff_t>(first), passed.end(),
            [](const Place& a, const Place& b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
}

}  // namespace facepipe::cascade
#endif
