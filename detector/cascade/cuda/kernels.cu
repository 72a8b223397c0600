#include <algorithm>
#include <cstddef>

#include "core/cuda/check.h"
#include "core/error.h"
#include "core/turning.h"
#include "detector/cascade/cuda/kernels.h"
#include "detector/cascade/skipping.h"

namespace facepipe::cascade {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kLanes = 32;
constexpr unsigned kAll = ~0U;
constexpr int kPlaces = kTilePlaces * kTilePlaces;

// --- A tile
// ----------------------------------------------------------------------------------------

/// What a block works on.
struct Tile {
  DeviceLevel level;
  int column;  // first place
  int row;
  int places_across;
  int places_down;
  int pixels_across;
  int pixels_down;
  SumsLayout layout;
  const DeviceNode* nodes;
};

__device__ int level_of_tile(const ScanPlan& plan, int tile) {
  int level = plan.level_count - 1;
  while (plan.levels[level].first_tile > tile) --level;
  return level;
}

__device__ Tile tile_of(const ScanPlan& plan, int index) {
  Tile tile;
  tile.level = plan.levels[level_of_tile(plan, index)];
  const int in_level = index - tile.level.first_tile;
  tile.column = in_level % tile.level.tiles_across * kTilePlaces;
  tile.row = in_level / tile.level.tiles_across * kTilePlaces;
  tile.places_across = min(kTilePlaces, tile.level.places.width - tile.column);
  tile.places_down = min(kTilePlaces, tile.level.places.height - tile.row);
  tile.pixels_across = (tile.places_across - 1) * tile.level.step + plan.window.width;
  tile.pixels_down = (tile.places_down - 1) * tile.level.step + plan.window.height;
  tile.layout = plan.layouts[tile.level.step - 1];
  tile.nodes = plan.nodes[tile.level.step - 1];
  return tile;
}

__device__ int column_at(const Tile& tile, int x) {
  return tile.level.step == 1 ? x : x / 2 + (x % 2 == 0 ? 0 : tile.layout.odd);
}

/// Where the sums of place `place` of row `row` begin.
__device__ int window_at(const Tile& tile, int place, int row) {
  return row * tile.level.step * tile.layout.stride + place;
}

// --- Its sums
// --------------------------------------------------------------------------------------

/// The grey level of an upright pixel.
__device__ int grey_at(const ScanPlan& plan, const FrameDescriptor& frame, const std::uint8_t* grey,
                       int x, int y) {
  const PixelPlace at = before_turning({x, y}, plan.stored, plan.orientation);
  const std::byte* const row = frame.luma + static_cast<long long>(at.y) * frame.luma_stride;
  const unsigned value = plan.wide != 0
                             ? reinterpret_cast<const std::uint16_t*>(row)[at.x] >> plan.shift
                             : reinterpret_cast<const std::uint8_t*>(row)[at.x];
  return grey[min(value, static_cast<unsigned>(plan.values) - 1)];
}

/// The table of the frame's range. Limited range is stretched.
__device__ const std::uint8_t* grey_table_of(const ScanPlan& plan, const FrameDescriptor& frame) {
  constexpr float kBetween = 1.08F;  // 1 and 255 / 219
  const float stretch = frame.to_rgb[1][0] * static_cast<float>(plan.values) / 256.0F;
  return stretch < kBetween ? plan.grey + plan.values : plan.grey;
}

/// OpenCV's INTER_LINEAR_EXACT.
__device__ int level_pixel(const ScanPlan& plan, const FrameDescriptor& frame,
                           const std::uint8_t* grey, const AxisPixel& h, const AxisPixel& v) {
  const auto across = [&](int y) {
    return (256 - h.weight) * grey_at(plan, frame, grey, h.first, y) +
           h.weight * grey_at(plan, frame, grey, h.second, y);
  };
  const int sum = (256 - v.weight) * across(v.first) + v.weight * across(v.second);
  return (sum + (1 << 15)) >> 16;
}

__device__ void fill_pixels(const ScanPlan& plan, const FrameDescriptor& frame, const Tile& tile,
                            float* sums, unsigned* squares) {
  const std::uint8_t* const grey = grey_table_of(plan, frame);
  const AxisPixel* const columns = plan.axes + tile.level.columns + tile.column * tile.level.step;
  const AxisPixel* const rows = plan.axes + tile.level.rows + tile.row * tile.level.step;
  const int across = tile.pixels_across + 1;
  for (int i = static_cast<int>(threadIdx.x); i < across * (tile.pixels_down + 1); i += kThreads) {
    const int x = i % across;
    const int y = i / across;
    const bool outside = x == 0 || y == 0;  // above and left of all
    const int pixel = outside ? 0 : level_pixel(plan, frame, grey, columns[x - 1], rows[y - 1]);
    const int at = y * tile.layout.stride + column_at(tile, x);
    sums[at] = static_cast<float>(pixel);
    squares[at] = static_cast<unsigned>(pixel * pixel);
  }
}

/// Along rows: a warp a row, a run of columns a lane.
__device__ void sum_rows(const Tile& tile, float* sums, unsigned* squares) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int across = tile.pixels_across + 1;
  const int run = (across + kLanes - 1) / kLanes;
  const int first = min(lane * run, across);
  const int end = min(first + run, across);
  for (int y = static_cast<int>(threadIdx.x) / kLanes; y <= tile.pixels_down; y += kWarps) {
    const int row = y * tile.layout.stride;
    float sum = 0;
    unsigned square = 0;
    for (int x = first; x < end; ++x) {
      sum += sums[row + column_at(tile, x)];
      square += squares[row + column_at(tile, x)];
    }
    float before = sum;
    unsigned square_before = square;
    for (int distance = 1; distance < kLanes; distance *= 2) {
      const float other = __shfl_up_sync(kAll, before, distance);
      const unsigned square_other = __shfl_up_sync(kAll, square_before, distance);
      if (lane >= distance) {
        before += other;
        square_before += square_other;
      }
    }
    sum = before - sum;
    square = square_before - square;
    for (int x = first; x < end; ++x) {
      const int at = row + column_at(tile, x);
      sum += sums[at];
      square += squares[at];
      sums[at] = sum;
      squares[at] = square;
    }
  }
}

/// Down columns: a thread a column.
__device__ void sum_columns(const Tile& tile, float* sums, unsigned* squares) {
  for (int x = static_cast<int>(threadIdx.x); x <= tile.pixels_across; x += kThreads) {
    int at = column_at(tile, x);
    float sum = 0;
    unsigned square = 0;
    for (int y = 0; y <= tile.pixels_down; ++y, at += tile.layout.stride) {
      sum += sums[at];
      square += squares[at];
      sums[at] = sum;
      squares[at] = square;
    }
  }
}

// --- Its windows
// -----------------------------------------------------------------------------------

/// 1 / deviation of a window, unscaled; 0 where it is below 10 grey levels.
__device__ float inverse_of(const ScanPlan& plan, const Tile& tile, const float* sums,
                            const unsigned* squares, int at) {
  const int left = column_at(tile, 1);
  const int right = column_at(tile, plan.window.width - 1);
  const int top = at + tile.layout.stride;
  const int bottom = at + (plan.window.height - 1) * tile.layout.stride;
  const float sum =
      (sums[top + left] - sums[top + right]) - (sums[bottom + left] - sums[bottom + right]);
  const unsigned square = (squares[top + left] - squares[top + right]) -
                          (squares[bottom + left] - squares[bottom + right]);
  const double area = (plan.window.width - 2.0) * (plan.window.height - 2.0);
  const auto whole = static_cast<double>(sum);
  const double spread = __dsub_rn(__dmul_rn(area, square), __dmul_rn(whole, whole));
  if (!(spread > 0)) return 0;
  const float inverse = __double2float_rn(__ddiv_rn(1.0, __dsqrt_rn(spread)));
  return __dmul_rn(area, static_cast<double>(inverse)) < 0.1 ? inverse : 0;
}

__device__ float value_of(const DeviceNode& node, const float* at, float inverse) {
  float sum = 0;
  for (int i = 0; i < 3; ++i) {
    if (node.weights[i] == 0) break;
    const std::int32_t* const corner = node.corners + 4 * i;
    const float rect = (at[corner[0]] - at[corner[1]]) - (at[corner[2]] - at[corner[3]]);
    sum += node.weights[i] * rect;  // whole numbers below 2^24: exact, fused or not
  }
  return __fmul_rn(sum, inverse);
}

__device__ float leaf_of(const DeviceNode* node, const float* at, float inverse) {
  for (;;) {
    const bool is_left = value_of(*node, at, inverse) < node->threshold;
    const int child = is_left ? node->left : node->right;
    if (child == 0) return is_left ? node->left_leaf : node->right_leaf;
    node += child;
  }
}

/// In double precision and in the file's order, as OpenCV decides.
__device__ bool passes_exactly(const ScanPlan& plan, const Tile& tile, const DeviceStage& stage,
                               const float* at, float inverse) {
  double sum = 0;
  for (int i = 0; i < stage.tree_count; ++i)
    sum = __dadd_rn(sum, static_cast<double>(
                             leaf_of(tile.nodes + plan.roots[stage.first_tree + i], at, inverse)));
  return sum >= static_cast<double>(stage.threshold);
}

__device__ bool passes(const ScanPlan& plan, const Tile& tile, int index, const float* at,
                       float inverse) {
  const DeviceStage stage = plan.stages[index];
  float sum = 0;
  for (int i = 0; i < stage.tree_count; ++i)
    sum = __fadd_rn(sum, leaf_of(tile.nodes + plan.roots[stage.first_tree + i], at, inverse));
  if (sum >= __fadd_rn(stage.threshold, stage.doubt)) return true;
  if (sum < __fsub_rn(stage.threshold, stage.doubt)) return false;
  return passes_exactly(plan, tile, stage, at, inverse);
}

/// Places of the tile whose windows are still in, in any order.
struct Survivors {
  std::uint16_t places[kPlaces];
  int count;
};

/// Appends `place` of the threads for which `is_in`; all threads of a warp call it.
__device__ void append(Survivors& to, int place, bool is_in) {
  const unsigned those = __ballot_sync(kAll, is_in);
  const unsigned lane = threadIdx.x % kLanes;
  int first = 0;
  if (lane == 0 && those != 0) first = atomicAdd(&to.count, __popc(those));
  first = __shfl_sync(kAll, first, 0);
  if (is_in)
    to.places[first + __popc(those & ((1U << lane) - 1))] = static_cast<std::uint16_t>(place);
}

/// A block's shared memory beside the sums.
struct TileMemory {
  int tile;
  float inverses[kPlaces];
  Survivors survivors[2];
  unsigned passed[kTilePlaces];
};

/// Contrast and the first stage of all places; writes which fail in it. A warp has a row at a time.
__device__ void first_stage(const ScanPlan& plan, const ScanBuffers& buffers, const Tile& tile,
                            const float* sums, const unsigned* squares, TileMemory& memory) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  for (int row = static_cast<int>(threadIdx.x) / kLanes; row < tile.places_down; row += kWarps) {
    const int at = window_at(tile, lane, row);
    const bool there = lane < tile.places_across;
    const float inverse = there ? inverse_of(plan, tile, sums, squares, at) : 0;
    const bool in = inverse > 0 && passes(plan, tile, 0, sums + at, inverse);
    const unsigned failed = __ballot_sync(kAll, inverse > 0 && !in);
    unsigned skip_none = 0;
    unsigned skip_first = 1;
    const unsigned may_be_seen = looked_at(failed, skip_none) | looked_at(failed, skip_first);
    memory.inverses[row * kTilePlaces + lane] = inverse;
    append(memory.survivors[0], row * kTilePlaces + lane, in && (may_be_seen >> lane & 1) != 0);
    if (lane == 0)
      buffers.failed[tile.level.first_word + (tile.row + row) * tile.level.words +
                     tile.column / kTilePlaces] = failed;
  }
}

/// One stage of those that are left in `from`; the others of `to` are forgotten.
__device__ void next_stage(const ScanPlan& plan, const Tile& tile, int stage, const float* sums,
                           const float* inverses, const Survivors& from, Survivors& to) {
  const int rounds = (from.count + kThreads - 1) / kThreads;
  for (int round = 0; round < rounds; ++round) {
    const int i = round * kThreads + static_cast<int>(threadIdx.x);
    const int place = i < from.count ? from.places[i] : 0;
    const int at = window_at(tile, place % kTilePlaces, place / kTilePlaces);
    const bool in = i < from.count && passes(plan, tile, stage, sums + at, inverses[place]);
    append(to, place, in);
  }
}

__device__ void write_passed(const ScanBuffers& buffers, const Tile& tile,
                             const Survivors& survivors, unsigned* words) {
  for (int i = static_cast<int>(threadIdx.x); i < survivors.count; i += kThreads) {
    const int place = survivors.places[i];
    atomicOr(&words[place / kTilePlaces], 1U << (place % kTilePlaces));
  }
  __syncthreads();
  const int row = static_cast<int>(threadIdx.x);
  if (row < tile.places_down)
    buffers.passed[tile.level.first_word + (tile.row + row) * tile.level.words +
                   tile.column / kTilePlaces] = words[row];
}

__device__ void scan_tile(const ScanPlan& plan, const FrameDescriptor& frame,
                          const ScanBuffers& buffers, const Tile& tile, float* sums,
                          unsigned* squares, TileMemory& memory) {
  if (threadIdx.x < kTilePlaces) memory.passed[threadIdx.x] = 0;
  if (threadIdx.x == 0) memory.survivors[0].count = 0;
  fill_pixels(plan, frame, tile, sums, squares);
  __syncthreads();
  sum_rows(tile, sums, squares);
  __syncthreads();
  sum_columns(tile, sums, squares);
  __syncthreads();
  first_stage(plan, buffers, tile, sums, squares, memory);
  int now = 0;
  for (int stage = 1; stage < plan.stage_count; ++stage) {
    if (threadIdx.x == 0) memory.survivors[1 - now].count = 0;
    __syncthreads();
    if (memory.survivors[now].count == 0) break;  // of all threads
    next_stage(plan, tile, stage, sums, memory.inverses, memory.survivors[now],
               memory.survivors[1 - now]);
    __syncthreads();
    now = 1 - now;
  }
  __syncthreads();
  write_passed(buffers, tile, memory.survivors[now], memory.passed);
  __syncthreads();
}

__global__ void __launch_bounds__(kThreads)
    scan_kernel(const FrameDescriptor* descriptor, ScanPlan plan, ScanBuffers buffers) {
  extern __shared__ float sums[];
  __shared__ TileMemory memory;
  auto* const squares = reinterpret_cast<unsigned*>(sums + plan.words_of_sums);
  const FrameDescriptor frame = *descriptor;
  for (;;) {
    if (threadIdx.x == 0) memory.tile = static_cast<int>(atomicAdd(buffers.next_tile, 1U));
    __syncthreads();
    const int index = memory.tile;
    if (index >= plan.tile_count) return;
    scan_tile(plan, frame, buffers, tile_of(plan, index), sums, squares, memory);
  }
}

// --- The list of windows
// -----------------------------------------------------------------------------

__device__ const DeviceLevel& level_of_word(const ScanPlan& plan, int word) {
  int level = plan.level_count - 1;
  while (plan.levels[level].first_word > word) --level;
  return plan.levels[level];
}

/// Windows of a word that OpenCV looks at. Words of failures alone don't change whether a run's
/// length is even.
__device__ unsigned seen_of_word(const ScanPlan& plan, const ScanBuffers& buffers, int word) {
  const DeviceLevel& level = level_of_word(plan, word);
  const int row_begin = word - (word - level.first_word) % level.words;
  unsigned skip = 0;
  for (int left = word - 1; left >= row_begin; --left) {
    const unsigned failed = buffers.failed[left];
    if (failed == kAll) continue;
    skip = static_cast<unsigned>(__clz(static_cast<int>(~failed))) % 2;
    break;
  }
  return looked_at(buffers.failed[word], skip);
}

/// The sum of `value` over the threads before this one; *total: over all. Of kThreads threads.
__device__ unsigned sum_before(unsigned value, unsigned* of_warps, unsigned* total) {
  const unsigned lane = threadIdx.x % kLanes;
  const unsigned warp = threadIdx.x / kLanes;
  unsigned sum = value;
  for (unsigned distance = 1; distance < kLanes; distance *= 2) {
    const unsigned other = __shfl_up_sync(kAll, sum, distance);
    if (lane >= distance) sum += other;
  }
  if (lane == kLanes - 1) of_warps[warp] = sum;
  __syncthreads();
  unsigned before = sum - value;
  *total = 0;
  for (unsigned i = 0; i < kWarps; ++i) {
    if (i < warp) before += of_warps[i];
    *total += of_warps[i];
  }
  __syncthreads();
  return before;
}

constexpr int kWordsOfAThread = kWordsOfABlock / kThreads;

__global__ void __launch_bounds__(kThreads) count_kernel(ScanPlan plan, ScanBuffers buffers) {
  __shared__ unsigned of_warps[kWarps];
  const int first = static_cast<int>(blockIdx.x * kWordsOfABlock + threadIdx.x * kWordsOfAThread);
  unsigned count = 0;
  for (int i = 0; i < kWordsOfAThread && first + i < plan.word_count; ++i) {
    unsigned& word = buffers.passed[first + i];
    if (word == 0) continue;
    word &= seen_of_word(plan, buffers, first + i);
    count += static_cast<unsigned>(__popc(word));
  }
  unsigned total = 0;
  sum_before(count, of_warps, &total);
  if (threadIdx.x == 0) buffers.sums[blockIdx.x] = total;
}

/// One block: sums become sums of those before, and the word behind them the total.
__global__ void __launch_bounds__(kThreads) sum_kernel(ScanBuffers buffers, int blocks) {
  __shared__ unsigned of_warps[kWarps];
  unsigned before_all = 0;
  for (int first = 0; first < blocks; first += kThreads) {
    const int i = first + static_cast<int>(threadIdx.x);
    unsigned total = 0;
    const unsigned before = sum_before(i < blocks ? buffers.sums[i] : 0, of_warps, &total);
    if (i < blocks) buffers.sums[i] = before_all + before;
    before_all += total;
  }
  if (threadIdx.x == 0) buffers.sums[blocks] = before_all;
}

__device__ nms::WholeBox window_of(const DeviceLevel& level, int column, int row) {
  const auto scaled = [&](int length) {
    return __float2int_rn(__fmul_rn(static_cast<float>(length * level.step), level.scale));
  };
  return {scaled(column), scaled(row), level.box_size.width, level.box_size.height};
}

__global__ void __launch_bounds__(kThreads) list_kernel(ScanPlan plan, ScanBuffers buffers) {
  __shared__ unsigned of_warps[kWarps];
  const int first = static_cast<int>(blockIdx.x * kWordsOfABlock + threadIdx.x * kWordsOfAThread);
  unsigned count = 0;
  for (int i = 0; i < kWordsOfAThread && first + i < plan.word_count; ++i)
    count += static_cast<unsigned>(__popc(buffers.passed[first + i]));
  unsigned total = 0;
  unsigned to = buffers.sums[blockIdx.x] + sum_before(count, of_warps, &total);
  for (int i = 0; i < kWordsOfAThread && first + i < plan.word_count; ++i) {
    unsigned bits = buffers.passed[first + i];
    if (bits == 0) continue;
    const DeviceLevel& level = level_of_word(plan, first + i);
    const int in_level = first + i - level.first_word;
    for (; bits != 0 && to < buffers.capacity; bits &= bits - 1, ++to)
      buffers.windows[to] =
          window_of(level, in_level % level.words * kTilePlaces + __ffs(static_cast<int>(bits)) - 1,
                    in_level / level.words);
  }
}

// --- Scores
// ------------------------------------------------------------------------------------------

/// A thread a window; the block's threads read the others together.
__global__ void __launch_bounds__(kThreads) score_kernel(ScanBuffers buffers, int blocks) {
  __shared__ nms::WholeBox others[kThreads];
  const unsigned count = min(buffers.sums[blocks], buffers.capacity);
  if (blockIdx.x * kThreads >= count) return;
  const unsigned mine = blockIdx.x * kThreads + threadIdx.x;
  const nms::WholeBox box = buffers.windows[min(mine, count - 1)];
  std::int64_t sum = 0;
  for (unsigned first = 0; first < count; first += kThreads) {
    __syncthreads();
    if (first + threadIdx.x < count) others[threadIdx.x] = buffers.windows[first + threadIdx.x];
    __syncthreads();
    const unsigned end = min(static_cast<unsigned>(kThreads), count - first);
    for (unsigned i = 0; i < end; ++i) sum += nms::agreement(box, others[i]);
  }
  if (mine >= count) return;
  const auto agreement = static_cast<float>(static_cast<double>(sum) / nms::kWholeIou);
  buffers.scores[mine] = __fdiv_rn(agreement, __fadd_rn(agreement, 3.0F));
}

__device__ Box clipped_box(const nms::WholeBox& box, Size picture) {
  return {static_cast<float>(max(box.x, 0)), static_cast<float>(max(box.y, 0)),
          static_cast<float>(min(box.x + box.width, picture.width)),
          static_cast<float>(min(box.y + box.height, picture.height))};
}

/// One block, in the windows' order.
__global__ void __launch_bounds__(kThreads)
    select_kernel(ScanBuffers buffers, int blocks, Size picture, float score_threshold,
                  cuda::DeviceDetections to) {
  __shared__ unsigned of_warps[kWarps];
  const unsigned all = buffers.sums[blocks];
  const unsigned count = min(all, buffers.capacity);
  unsigned before_all = 0;
  for (unsigned first = 0; first < count; first += kThreads) {
    const unsigned i = first + threadIdx.x;
    const bool wanted = i < count && buffers.scores[i] > score_threshold;
    unsigned total = 0;
    const unsigned at = before_all + sum_before(wanted ? 1 : 0, of_warps, &total);
    if (wanted && at < to.capacity) {
      to.boxes[at] = clipped_box(buffers.windows[i], picture);
      to.scores[at] = buffers.scores[i];
    }
    before_all += total;
  }
  if (threadIdx.x == 0)
    *to.count = all > buffers.capacity ? to.capacity + (all - buffers.capacity) : before_all;
}

/// Of a block of the scan, for its sums.
std::size_t shared_bytes(const ScanPlan& plan) {
  return static_cast<std::size_t>(plan.words_of_sums) * (sizeof(float) + sizeof(unsigned));
}

int blocks_of_words(const ScanPlan& plan) {
  return (plan.word_count + kWordsOfABlock - 1) / kWordsOfABlock;
}

}  // namespace

int scan_blocks(const ScanPlan& plan) {
  int device = 0;
  int most = 0;
  int processors = 0;
  cudaFuncAttributes facts{};
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  FACEPIPE_CUDA_CHECK(
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  FACEPIPE_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  FACEPIPE_CUDA_CHECK(cudaFuncGetAttributes(&facts, scan_kernel));
  const int room = most - static_cast<int>(facts.sharedSizeBytes);
  if (shared_bytes(plan) > static_cast<std::size_t>(room))
    throw Error(ErrorKind::device, "cascade: a window of " + to_string(plan.window) +
                                       " needs more shared memory than the CUDA device has");
  // The same for all detectors, as it holds for the kernel and not for a launch.
  FACEPIPE_CUDA_CHECK(
      cudaFuncSetAttribute(scan_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, room));
  int at_once = 0;
  FACEPIPE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, scan_kernel, kThreads,
                                                                    shared_bytes(plan)));
  return std::max(1, at_once * processors);
}

void launch_scan(const FrameDescriptor* frame, const ScanPlan& plan, const ScanBuffers& buffers,
                 int blocks, cuda::StreamView stream) {
  cuda::fill(cuda::DeviceSpan<std::uint32_t>{buffers.next_tile, 1}, 0, stream);
  if (plan.tile_count == 0) return;
  scan_kernel<<<static_cast<unsigned>(blocks), kThreads, shared_bytes(plan), stream.get()>>>(
      frame, plan, buffers);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_listing(const ScanPlan& plan, const ScanBuffers& buffers, cuda::StreamView stream) {
  const int blocks = blocks_of_words(plan);
  if (blocks > 0) {
    count_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream.get()>>>(plan, buffers);
    FACEPIPE_CUDA_CHECK(cudaGetLastError());
  }
  sum_kernel<<<1, kThreads, 0, stream.get()>>>(buffers, blocks);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
  if (blocks > 0) {
    list_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream.get()>>>(plan, buffers);
    FACEPIPE_CUDA_CHECK(cudaGetLastError());
  }
}

void launch_selection(const ScanPlan& plan, const ScanBuffers& buffers, float score_threshold,
                      const cuda::DeviceDetections& to, cuda::StreamView stream) {
  const int blocks = blocks_of_words(plan);
  const unsigned score_blocks = (buffers.capacity + kThreads - 1) / kThreads;
  score_kernel<<<score_blocks, kThreads, 0, stream.get()>>>(buffers, blocks);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
  select_kernel<<<1, kThreads, 0, stream.get()>>>(buffers, blocks, plan.picture, score_threshold,
                                                  to);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::cascade
