#include <algorithm>
#include <cstddef>

#include "core/cuda/check.h"
#include "core/error.h"
#include "core/turning.h"
#include "detector/cascade/cuda/kernels.h"
#include "detector/cascade/cuda/stages.cuh"
#include "detector/cascade/skipping.h"

namespace facepipe::detector::cascade {
namespace {

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / kLanes;
constexpr int kColumns = kTileColumns;
constexpr int kMostWords = kMostTileRows * kColumns / kWordPlaces;
static_assert(kWordPlaces == kLanes && kMostWords <= kThreads);
constexpr int kMostParts = 4;  // largest number of parts of a stage's trees, if warps share the
                               // trees
constexpr int kRowWords = kColumns / kWordPlaces;

// --- The grey picture ---

/// Returns the table for the frame's range. The table for limited range stretches the levels.
__device__ const std::uint8_t* grey_levels_of(const ScanPlan& plan, const FrameDescriptor& frame) {
  constexpr float kBetween = 1.08F;  // between 1 (full range) and 255 / 219 (limited range)
  const float stretch = frame.to_rgb[1][0] * static_cast<float>(plan.picture.values) / 256.0F;
  return stretch < kBetween ? plan.picture.grey_levels + plan.picture.values
                            : plan.picture.grey_levels;
}

/// Returns the grey level of a pixel of the upright picture.
__device__ unsigned grey_at(const ScanPlan& plan, const FrameDescriptor& frame,
                            const std::uint8_t* levels, int x, int y) {
  const PixelPlace at = before_turning({x, y}, plan.picture.stored, plan.picture.orientation);
  const std::byte* const row = frame.luma + static_cast<long long>(at.y) * frame.luma_stride;
  const unsigned value =
      plan.picture.wide != 0
          ? reinterpret_cast<const std::uint16_t*>(row)[at.x] >> plan.picture.shift
          : reinterpret_cast<const std::uint8_t*>(row)[at.x];
  return levels[min(value, static_cast<unsigned>(plan.picture.values) - 1)];
}

/// Makes the grey picture. Each thread makes four pixels.
__global__ void __launch_bounds__(kThreads)
    grey_kernel(const FrameDescriptor* descriptor, ScanPlan plan, std::uint8_t* grey) {
  const int quads = grey_stride(plan.picture.upright) / 4;
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int x = i % quads * 4;
  const int y = i / quads;
  if (y >= plan.picture.upright.height) return;
  const FrameDescriptor frame = *descriptor;
  const std::uint8_t* const levels = grey_levels_of(plan, frame);
  std::uint32_t four = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (x + k < plan.picture.upright.width)
      four |= grey_at(plan, frame, levels, x + k, y) << (8 * k);
  reinterpret_cast<std::uint32_t*>(grey)[i] = four;
}

// --- A tile ---

/// Describes the tile that a block works on. Its places are numbered row by row, kColumns in each
/// row.
struct Tile {
  DeviceLevel level;
  int column;  // first place of the tile
  int row;
  int places_across;
  int places_down;
  int pixels_across;
  int pixels_down;
  int sparse;  // 1 if the window moves by 2 pixels
  SumsLayout layout;
};

__device__ Tile tile_of(const ScanPlan& plan, int index) {
  Tile tile;
  const DeviceTile first = plan.levels.tiles[index];
  tile.level = plan.levels.all[first.level];
  tile.column = first.column;
  tile.row = first.row;
  tile.sparse = tile.level.step - 1;
  const int rows = tile.sparse != 0 ? plan.cascade.tile_rows[1] : plan.cascade.tile_rows[0];
  tile.places_across = min(kColumns, tile.level.places.width - tile.column);
  tile.places_down = min(rows, tile.level.places.height - tile.row);
  tile.pixels_across = (tile.places_across - 1) * tile.level.step + plan.cascade.window.width;
  tile.pixels_down = (tile.places_down - 1) * tile.level.step + plan.cascade.window.height;
  tile.layout = tile.sparse != 0 ? plan.cascade.layouts[1] : plan.cascade.layouts[0];
  return tile;
}

__device__ int column_at(const Tile& tile, int x) {
  return tile.sparse == 0 ? x : x / 2 + (x % 2 == 0 ? 0 : tile.layout.odd);
}

/// Returns the index of the first sum of a place.
__device__ int window_at(const Tile& tile, int place) {
  return place / kColumns * tile.level.step * tile.layout.stride + place % kColumns;
}

/// Holds those parts of a block's shared memory that have a fixed size.
struct TileMemory {
  int tile;
  /// Lengths of the lists of places that have reached a stage. Places are listed by the bank of
  /// shared memory in which their sums begin. Each lane takes places from its own list. So lanes
  /// never access the same bank, because a corner has the same distance from the window in all
  /// lanes. counts[stage % 3] is for the lists that a stage reads, and the next element is for the
  /// lists that the stage fills. The third element is set to 0 for the next stage.
  int counts[3][kLanes];
  int left;  ///< number of places after the last stage in which each lane evaluates a window
  int next;  ///< index of the next of these places
  unsigned passed[kMostWords];
  int partial[kWarps][kWindows][kLanes];
};

/// Refers to the rest of the shared memory. Its size depends on the tile.
struct TileArrays {
  unsigned* sums;
  float* inverses;  ///< 1 / deviation of each place, unscaled
  /// rows of Tile::pixels_across pixels; when the sums are made, the lists overwrite them
  std::uint8_t* pixels;
  std::uint16_t* places;  ///< two lists; entry `i` of bank `b` is i * kLanes + b
  int most_places;

  [[nodiscard]] __device__ std::uint16_t* listed(int stage) const {
    return places + (stage % 2 == 0 ? 0 : most_places);
  }
};

// --- Its sums ---

/// Returns a level's pixel. Makes it from the grey picture as OpenCV's INTER_LINEAR_EXACT does.
__device__ int level_pixel(const std::uint8_t* grey, int stride, AxisPixel h, AxisPixel v) {
  const std::uint8_t* const upper = grey + v.first * stride + h.first;
  const std::uint8_t* const lower = upper + (v.weight == 0 ? 0 : stride);
  const int next = h.weight == 0 ? 0 : 1;
  const int above = (256 - h.weight) * upper[0] + h.weight * upper[next];
  const int below = (256 - h.weight) * lower[0] + h.weight * lower[next];
  return ((256 - v.weight) * above + v.weight * below + (1 << 15)) >> 16;
}

/// Makes the level's pixels that the tile's windows cover. Each warp makes a row at a time, so that
/// a lane's columns stay the same.
__device__ void fill_pixels(const ScanPlan& plan, const std::uint8_t* grey, const Tile& tile,
                            std::uint8_t* pixels) {
  const AxisPixel* const columns =
      plan.levels.axes + tile.level.columns + tile.column * tile.level.step;
  const AxisPixel* const rows = plan.levels.axes + tile.level.rows + tile.row * tile.level.step;
  const int stride = grey_stride(plan.picture.upright);
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  for (int x = static_cast<int>(threadIdx.x) % kLanes; x < tile.pixels_across; x += kLanes) {
    const AxisPixel column = columns[x];
#pragma unroll 4
    for (int y = warp; y < tile.pixels_down; y += kWarps)
      pixels[y * tile.pixels_across + x] =
          static_cast<std::uint8_t>(level_pixel(grey, stride, column, rows[y]));
  }
}

struct Level {
  static __device__ unsigned of(std::uint8_t pixel) { return pixel; }
};
struct Square {
  static __device__ unsigned of(std::uint8_t pixel) { return unsigned{pixel} * pixel; }
};

/// Computes sums along rows, mod 2^32. Each warp handles a row at a time, and each of its lanes a
/// run of columns.
template <class Value>
__device__ void sum_rows(const Tile& tile, const std::uint8_t* pixels, unsigned* sums) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int run = (tile.pixels_across + kLanes - 1) / kLanes;
  const int first = min(lane * run, tile.pixels_across);
  const int end = min(first + run, tile.pixels_across);
  for (int y = static_cast<int>(threadIdx.x) / kLanes; y < tile.pixels_down; y += kWarps) {
    const std::uint8_t* const row = pixels + y * tile.pixels_across;
    unsigned* const to = sums + (y + 1) * tile.layout.stride;
    unsigned of_run = 0;
    for (int x = first; x < end; ++x) of_run += Value::of(row[x]);
    unsigned sum = nms::warp_inclusive_sum(of_run) - of_run;
    for (int x = first; x < end; ++x) {
      sum += Value::of(row[x]);
      to[column_at(tile, x + 1)] = sum;
    }
    if (lane == 0) to[0] = 0;
  }
  for (int x = static_cast<int>(threadIdx.x); x <= tile.pixels_across; x += kThreads)
    sums[column_at(tile, x)] = 0;
}

/// Computes sums down columns. Each thread handles one column at a time.
__device__ void sum_columns(const Tile& tile, unsigned* sums) {
  for (int x = static_cast<int>(threadIdx.x); x < tile.pixels_across; x += kThreads) {
    unsigned* at = sums + column_at(tile, x + 1);
    unsigned sum = 0;
#pragma unroll 8
    for (int y = 0; y < tile.pixels_down; ++y) {
      at += tile.layout.stride;
      sum += *at;
      *at = sum;
    }
  }
}

template <class Value>
__device__ void make_sums(const Tile& tile, const std::uint8_t* pixels, unsigned* sums) {
  sum_rows<Value>(tile, pixels, sums);
  __syncthreads();
  sum_columns(tile, sums);
  __syncthreads();
}

// --- The contrast of its windows ---

/// Returns the sum over a window, without its outermost pixels.
__device__ unsigned inner_sum(const ScanPlan& plan, const Tile& tile, const unsigned* window) {
  const int left = column_at(tile, 1);
  const int right = column_at(tile, plan.cascade.window.width - 1);
  const unsigned* const top = window + tile.layout.stride;
  const unsigned* const bottom = window + (plan.cascade.window.height - 1) * tile.layout.stride;
  return (top[left] - top[right]) - (bottom[left] - bottom[right]);
}

/// Returns 1 / deviation of a window, unscaled, or 0 if the deviation is below 10 grey levels.
/// `sum` and `squares` come from inner_sum().
__device__ float inverse_of(const ScanPlan& plan, unsigned sum, unsigned squares) {
  const double area = (plan.cascade.window.width - 2.0) * (plan.cascade.window.height - 2.0);
  const auto whole = static_cast<double>(sum);
  const double spread = __dsub_rn(__dmul_rn(area, squares), __dmul_rn(whole, whole));
  if (!(spread > 0)) return 0;
  const float inverse = __double2float_rn(__ddiv_rn(1.0, __dsqrt_rn(spread)));
  return __dmul_rn(area, static_cast<double>(inverse)) < 0.1 ? inverse : 0;
}

/// Returns whether the tile has a place with this number. A tile may have fewer than kColumns
/// columns.
__device__ bool is_there(const Tile& tile, int place) {
  return place % kColumns < tile.places_across && place / kColumns < tile.places_down;
}

/// Stores each window's sum of squares in the element in which its inverse will be stored.
__device__ void measure_squares(const ScanPlan& plan, const Tile& tile, const TileArrays& arrays) {
  for (auto place = static_cast<int>(threadIdx.x); place < arrays.most_places; place += kThreads)
    if (is_there(tile, place))
      arrays.inverses[place] =
          __uint_as_float(inner_sum(plan, tile, arrays.sums + window_at(tile, place)));
}

// --- A tile's windows through the stages ---

__device__ void append(int stage, const Tile& tile, const TileArrays& arrays, int place,
                       TileMemory& memory) {
  const int bank = window_at(tile, place) % kLanes;
  const int at = atomicAdd(&memory.counts[stage % 3][bank], 1);
  arrays.listed(stage)[at * kLanes + bank] = static_cast<std::uint16_t>(place);
}

/// Ends the first stage for 32 neighbouring places, whose windows have these leaves. Records which
/// windows fail. Appends the places whose windows pass and that OpenCV may not skip. A place that
/// doesn't exist has an inverse of 0.
__device__ void end_first_stage(const ScanPlan& plan, const ScanBuffers& buffers, const Tile& tile,
                                const TileArrays& arrays, int place, int leaves, float inverse,
                                TileMemory& memory) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const bool in =
      inverse > 0 && passes(plan, plan.cascade.nodes[tile.sparse], plan.cascade.stages[0], leaves,
                            arrays.sums + window_at(tile, place), inverse);
  const unsigned failed = __ballot_sync(nms::kAllLanes, inverse > 0 && !in);
  unsigned skip_none = 0;
  unsigned skip_first = 1;
  const unsigned may_be_seen = looked_at(failed, skip_none) | looked_at(failed, skip_first);
  if (in && (may_be_seen >> lane & 1) != 0) append(1, tile, arrays, place, memory);
  if (lane == 0 && is_there(tile, place)) {
    const int row = tile.row + place / kColumns;
    const int column = tile.column + place % kColumns;
    buffers.failed[tile.level.first_word + row * tile.level.words + column / kWordPlaces] = failed;
  }
}

/// Checks the contrast of all places, and evaluates the first stage. Each warp handles kWindows
/// groups of 32 neighbouring places at a time.
template <bool kStumps>
__device__ __forceinline__ void first_stage(const ScanPlan& plan, const StumpWords& stumps,
                                            const ScanBuffers& buffers, const Tile& tile,
                                            const TileArrays& arrays, TileMemory& memory) {
  const DeviceStage& stage = plan.cascade.stages[0];
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int warp = nms::of_warp(static_cast<int>(threadIdx.x) / kLanes);
  const int most = tile.places_down * kColumns;  // a multiple of the lanes of a warp
  for (int begin = warp * kLanes; begin < most; begin += kWindows * kThreads) {
    const int first = begin + lane;
    Windows windows;
    for (int w = 0; w < kWindows; ++w) {
      const int place = first + w * kThreads;
      const bool there = place < most && is_there(tile, place);
      windows.sums[w] = arrays.sums + (there ? window_at(tile, place) : 0);
      windows.inverses[w] = 0;
      if (!there) continue;
      windows.inverses[w] = inverse_of(plan, inner_sum(plan, tile, windows.sums[w]),
                                       __float_as_uint(arrays.inverses[place]));
      arrays.inverses[place] = windows.inverses[w];
    }
    int leaves[kWindows] = {};
    add_leaves<kStumps>(plan, stumps, stage, {}, tile.sparse, windows, leaves);
    for (int w = 0; w < kWindows; ++w)
      if (begin + w * kThreads < most)
        end_first_stage(plan, buffers, tile, arrays, first + w * kThreads, leaves[w],
                        windows.inverses[w], memory);
  }
}

/// Holds two places of a lane's list of places that have reached a stage.
struct Pair {
  int places[kWindows];
  bool there[kWindows];
  Windows windows;
};

/// Returns the pair of this number in the lane's list.
__device__ Pair pair_of(const Tile& tile, const TileArrays& arrays, int stage, int number,
                        int count) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  Pair pair;
  for (int w = 0; w < kWindows; ++w) {
    // A lane without a place reads sums of its own bank. The result is not used.
    const int i = kWindows * number + w;
    const bool there = i < count;
    pair.there[w] = there;
    pair.places[w] = there ? arrays.listed(stage)[i * kLanes + lane] : 0;
    pair.windows.sums[w] = arrays.sums + (there ? window_at(tile, pair.places[w]) : lane);
    pair.windows.inverses[w] = arrays.inverses[pair.places[w]];
  }
  return pair;
}

/// Appends those places of a pair whose windows pass the stage to the lists of the next stage.
__device__ void go_on(const ScanPlan& plan, const Tile& tile, int index, const DeviceStage& stage,
                      const TileArrays& arrays, const Pair& pair, const int (&leaves)[kWindows],
                      TileMemory& memory) {
  for (int w = 0; w < kWindows; ++w)
    if (pair.there[w] && passes(plan, plan.cascade.nodes[tile.sparse], stage, leaves[w],
                                pair.windows.sums[w], pair.windows.inverses[w]))
      append(index + 1, tile, arrays, pair.places[w], memory);
}

/// Adds up the leaves of all parts. The warps of the first part get the result. All threads must
/// call it.
__device__ void add_parts(int parts, int pairs, int (&leaves)[kWindows], TileMemory& memory) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  for (int w = 0; w < kWindows; ++w) memory.partial[warp][w][lane] = leaves[w];
  __syncthreads();
  for (int part = 1; part < parts && warp < pairs; ++part)
    for (int w = 0; w < kWindows; ++w) leaves[w] += memory.partial[part * pairs + warp][w][lane];
}

/// Evaluates a stage for the places that have reached it. Returns false if no place has reached the
/// stage. If few places have, several warps share the trees, so that all warps have work.
template <bool kStumps>
__device__ __forceinline__ bool next_stage(const ScanPlan& plan, const StumpWords& stumps,
                                           const Tile& tile, int index, const TileArrays& arrays,
                                           TileMemory& memory) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int warp = nms::of_warp(static_cast<int>(threadIdx.x) / kLanes);
  if (warp == 0) memory.counts[(index + 2) % 3][lane] = 0;
  const int count = memory.counts[index % 3][lane];
  const int most = nms::of_warp(nms::warp_combined(count, [](int a, int b) { return max(a, b); }));
  const int pairs = (most + kWindows - 1) / kWindows;
  if (pairs == 0) return false;
  const DeviceStage& stage = plan.cascade.stages[index];
  const int parts = max(1, min(kWarps / pairs, kMostParts));
  // each warp enters this loop at least once, because all must call add_parts() together
  for (int i = warp; i < max(pairs, kWarps); i += kWarps) {
    const int number = parts > 1 ? i % pairs : i;
    const Part part{parts > 1 ? i / pairs : 0, parts};
    const Pair pair = pair_of(tile, arrays, index, number, count);
    int leaves[kWindows] = {};
    if (part.part < parts && number < pairs)
      add_leaves<kStumps>(plan, stumps, stage, part, tile.sparse, pair.windows, leaves);
    if (parts > 1) add_parts(parts, pairs, leaves, memory);
    if (part.part == 0 && number < pairs)
      go_on(plan, tile, index, stage, arrays, pair, leaves, memory);
  }
  __syncthreads();
  return true;
}

/// Moves the places that have reached `stage` into the other list, without gaps. Returns that list.
__device__ std::uint16_t* move_together(int stage, const TileArrays& arrays, TileMemory& memory) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  std::uint16_t* const to = arrays.listed(stage + 1);
  const int count = memory.counts[stage % 3][lane];
  const int before = nms::warp_inclusive_sum(count) - count;
  for (int i = warp; i < count; i += kWarps)
    to[before + i] = arrays.listed(stage)[i * kLanes + lane];
  if (warp == 0 && lane == kLanes - 1) memory.left = before + count;
  return to;
}

/// Evaluates the remaining stages. Each warp handles one window at a time.
template <bool kStumps>
__device__ void last_stages(const ScanPlan& plan, const Tile& tile, const TileArrays& arrays,
                            TileMemory& memory) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::uint16_t* const places = move_together(plan.cascade.lane_stages, arrays, memory);
  __syncthreads();
  for (;;) {
    int next = lane == 0 ? atomicAdd(&memory.next, 1) : 0;
    next = __shfl_sync(nms::kAllLanes, next, 0);
    if (next >= memory.left) return;
    const int place = places[next];
    const bool in =
        warp_passes<kStumps>(plan, plan.cascade.lane_stages, tile.sparse,
                             arrays.sums + window_at(tile, place), arrays.inverses[place]);
    if (in && lane == 0) atomicOr(&memory.passed[place / kWordPlaces], 1U << (place % kWordPlaces));
  }
}

__device__ void write_passed(const ScanBuffers& buffers, const Tile& tile,
                             const TileMemory& memory) {
  const int word = static_cast<int>(threadIdx.x);
  if (word >= kMostWords || !is_there(tile, word * kWordPlaces)) return;
  const int row = tile.row + word / kRowWords;
  const int column = tile.column / kWordPlaces + word % kRowWords;
  buffers.passed[tile.level.first_word + row * tile.level.words + column] = memory.passed[word];
}

template <bool kStumps>
__device__ __forceinline__ void scan_tile(const ScanPlan& plan, const StumpWords& stumps,
                                          const ScanBuffers& buffers, const Tile& tile,
                                          const TileArrays& arrays, TileMemory& memory) {
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread < kMostWords) memory.passed[thread] = 0;
  if (thread < kLanes) memory.counts[1][thread] = memory.counts[2][thread] = 0;
  if (thread == 0) memory.next = 0;
  fill_pixels(plan, buffers.grey, tile, arrays.pixels);
  __syncthreads();
  make_sums<Square>(tile, arrays.pixels, arrays.sums);
  measure_squares(plan, tile, arrays);
  __syncthreads();
  make_sums<Level>(tile, arrays.pixels, arrays.sums);
  first_stage<kStumps>(plan, stumps, buffers, tile, arrays, memory);
  __syncthreads();
  int stage = 1;
  while (stage < plan.cascade.lane_stages &&
         next_stage<kStumps>(plan, stumps, tile, stage, arrays, memory))
    ++stage;
  if (stage == plan.cascade.lane_stages) {
    last_stages<kStumps>(plan, tile, arrays, memory);
    __syncthreads();
  }
  write_passed(buffers, tile, memory);
  __syncthreads();
}

__device__ TileArrays arrays_of(const Tile& tile, const ScanPlan& plan, unsigned* shared) {
  const int rows = tile.sparse != 0 ? plan.cascade.tile_rows[1] : plan.cascade.tile_rows[0];
  const int rows_of_sums = (rows - 1) * tile.level.step + plan.cascade.window.height + 1;
  TileArrays arrays;
  arrays.most_places = rows * kColumns;
  arrays.sums = shared;
  arrays.inverses = reinterpret_cast<float*>(shared) + tile.layout.stride * rows_of_sums;
  arrays.places = reinterpret_cast<std::uint16_t*>(arrays.inverses + arrays.most_places);
  arrays.pixels = reinterpret_cast<std::uint8_t*>(arrays.places);
  return arrays;
}

template <bool kStumps>
__global__ void __launch_bounds__(kThreads, 2)
    tiles_kernel(const __grid_constant__ ScanPlan plan, const __grid_constant__ StumpWords stumps,
                 const __grid_constant__ ScanBuffers buffers) {
  extern __shared__ unsigned shared[];
  __shared__ TileMemory memory;
  for (;;) {
    if (threadIdx.x == 0) memory.tile = static_cast<int>(atomicAdd(&buffers.counts->next_tile, 1U));
    __syncthreads();
    const int index = memory.tile;
    if (index >= plan.levels.tile_count) return;
    const Tile tile = tile_of(plan, index);
    scan_tile<kStumps>(plan, stumps, buffers, tile, arrays_of(tile, plan, shared), memory);
  }
}
static_assert(sizeof(ScanPlan) + sizeof(StumpWords) + sizeof(ScanBuffers) <= 32764);

/// Returns how many bytes of shared memory a block needs besides TileMemory.
std::size_t shared_bytes(const ScanPlan& plan) {
  std::size_t most = 0;
  for (std::size_t sparse = 0; sparse < 2; ++sparse) {
    const Size tile = tile_size(plan, static_cast<int>(sparse) + 1);
    const auto places = static_cast<std::size_t>(plan.cascade.tile_rows[sparse] * kColumns);
    const std::size_t lists = 2 * places * sizeof(std::uint16_t);
    const std::size_t pixels =
        static_cast<std::size_t>(tile.width) * static_cast<std::size_t>(tile.height);
    const auto sums = static_cast<std::size_t>(plan.cascade.layouts[sparse].stride) *
                      static_cast<std::size_t>(tile.height + 1);
    most = std::max(most, (sums + places) * sizeof(float) + std::max(pixels, lists));
  }
  return (most + 15) / 16 * 16;
}

using TilesKernel = void (*)(ScanPlan, StumpWords, ScanBuffers);

TilesKernel kernel_of(const ScanPlan& plan) {
  return plan.cascade.only_stumps != 0 ? tiles_kernel<true> : tiles_kernel<false>;
}

}  // namespace

int tile_blocks(const ScanPlan& plan) {
  const TilesKernel kernel = kernel_of(plan);
  int device = 0;
  int most = 0;
  int processors = 0;
  cudaFuncAttributes facts{};
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  FACEPIPE_CUDA_CHECK(
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  FACEPIPE_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  FACEPIPE_CUDA_CHECK(cudaFuncGetAttributes(&facts, kernel));
  const int room = most - static_cast<int>(facts.sharedSizeBytes);
  if (shared_bytes(plan) > static_cast<std::size_t>(room))
    throw Error(ErrorKind::device, "cascade: a window of " + to_string(plan.cascade.window) +
                                       " needs more shared memory than the CUDA device has");
  // The attribute belongs to the kernel and not to a launch, so all detectors set the same value.
  FACEPIPE_CUDA_CHECK(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, room));
  int at_once = 0;
  FACEPIPE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, kernel, kThreads,
                                                                    shared_bytes(plan)));
  return std::max(1, at_once * processors);
}

void launch_tiles(const FrameDescriptor* frame, const ScanPlan& plan, const StumpWords& stumps,
                  const ScanBuffers& buffers, int blocks, cuda::StreamView stream) {
  cuda::fill(cuda::DeviceSpan<ScanCounts>{buffers.counts, 1}, 0, stream);
  if (plan.levels.tile_count == 0) return;
  const int threads = grey_stride(plan.picture.upright) / 4 * plan.picture.upright.height;
  const auto grey_blocks = static_cast<unsigned>((threads + kThreads - 1) / kThreads);
  grey_kernel<<<grey_blocks, kThreads, 0, stream.get()>>>(frame, plan, buffers.grey);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
  const auto grid = static_cast<unsigned>(blocks);
  kernel_of(plan)<<<grid, kThreads, shared_bytes(plan), stream.get()>>>(plan, stumps, buffers);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::detector::cascade
