#include <cstddef>

#include "core/cuda/check.h"
#include "detector/acf/cuda/kernels.h"
#include "nms/cuda/device.cuh"

namespace facepipe::acf {
namespace {

constexpr int kThreads = 256;
constexpr int kLanes = 32;
constexpr int kWarps = kThreads / kLanes;
static_assert(kScanTile.width == kLanes && kScanTile.height % kWarps == 0);
constexpr int kRows = kScanTile.height / kWarps;  ///< of a warp in the first round
constexpr int kPlaces = kScanTile.width * kScanTile.height;

// --- Trees ---------------------------------------------------------------------------------------

/// A cell, `offset` samples from a window's first one, which lies `at` bytes from `cells` on: so
/// the first is the same for all lanes, and the second has 32 bits.
__device__ __forceinline__ float cell_at(const float* cells, std::int32_t offset, unsigned at) {
  return __ldg(reinterpret_cast<const float*>(reinterpret_cast<const char*>(cells + offset) + at));
}

__device__ __forceinline__ std::int32_t leaf_of(const DeviceTree& tree, const float* cells,
                                                unsigned at) {
  // All three at once: a second load that waits for the first takes longer.
  const bool is_left = cell_at(cells, tree.offsets[0], at) < tree.thresholds[0];
  const bool left = cell_at(cells, tree.offsets[1], at) < tree.thresholds[1];
  const bool right = cell_at(cells, tree.offsets[2], at) < tree.thresholds[2];
  const std::int32_t of_left = left ? tree.leaves[0] : tree.leaves[1];
  const std::int32_t of_right = right ? tree.leaves[2] : tree.leaves[3];
  return is_left ? of_left : of_right;
}

/// A lane's windows.
template <int kWindows>
struct Windows {
  unsigned at[kWindows];  ///< bytes from the first cell of all
  std::int32_t sums[kWindows];
  bool alive[kWindows];
};

template <int kWindows>
__device__ __forceinline__ void walk(const AcfPlan& plan, const LaneTrees& trees, int first,
                                     int end, const float* cells, Windows<kWindows>& windows) {
#pragma unroll 4
  for (int i = first; i < end; ++i) {
    const DeviceTree& tree = trees.trees[i];
#pragma unroll
    for (int w = 0; w < kWindows; ++w) {
      windows.sums[w] += leaf_of(tree, cells, windows.at[w]);
      windows.alive[w] = windows.alive[w] && windows.sums[w] > plan.threshold;
    }
  }
}

// --- A tile's places: a window a thread ----------------------------------------------------------

/// Places, numbered row by row, and the sums of their leaves so far. A round reads the list of its
/// number and fills the next one's.
struct ScanMemory {
  std::uint16_t places[2][kPlaces];
  std::int32_t sums[2][kPlaces];
  int counts[3];   ///< of the lists; that of the round after the next is emptied
  unsigned first;  ///< in the list of what is left
};

struct ScanTile {
  Size places;  ///< that are there
  Size first;
  unsigned at;  ///< bytes of the first one's first cell
  unsigned first_place;
  int places_across;  ///< of the scale
};

__device__ ScanTile tile_of(const AcfPlan& plan, int index) {
  const Part part = plan.tiles[index];
  const DeviceScale& scale = plan.scales[part.scale];
  const Size all = scale.scale.places;
  ScanTile tile;
  tile.first = {part.column, part.row};
  tile.places = {min(kScanTile.width, all.width - part.column),
                 min(kScanTile.height, all.height - part.row)};
  tile.at = static_cast<unsigned>(sizeof(float)) *
            static_cast<unsigned>(scale.first_cell + part.row * plan.stride + part.column);
  tile.first_place = scale.first_place;
  tile.places_across = all.width;
  return tile;
}

/// Where a place's window begins.
__device__ unsigned window_at(const AcfPlan& plan, const ScanTile& tile, int place) {
  return tile.at +
         static_cast<unsigned>(sizeof(float)) *
             static_cast<unsigned>(place / kScanTile.width * plan.stride + place % kScanTile.width);
}

/// To the list of a round. All lanes of a warp call it.
__device__ void append(ScanMemory& memory, int round, bool alive, int place, std::int32_t sum) {
  const unsigned lanes = __ballot_sync(nms::kAllLanes, alive);
  if (lanes == 0) return;
  int first = 0;
  if (nms::lane_id() == 0) first = atomicAdd(&memory.counts[round % 3], __popc(lanes));
  first = __shfl_sync(nms::kAllLanes, first, 0);
  if (!alive) return;
  const int at = first + __popc(lanes & nms::lanes_below());
  memory.places[round % 2][at] = static_cast<std::uint16_t>(place);
  memory.sums[round % 2][at] = sum;
}

/// The first trees of all places: those of a warp's rows at once.
__device__ void first_round(const AcfPlan& plan, const LaneTrees& trees, const ScanTile& tile,
                            const float* cells, int end, ScanMemory& memory) {
  const int lane = static_cast<int>(nms::lane_id());
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  Windows<kRows> windows;
#pragma unroll
  for (int w = 0; w < kRows; ++w) {
    const int row = warp + w * kWarps;
    windows.alive[w] = row < tile.places.height && lane < tile.places.width;
    windows.at[w] = windows.alive[w] ? window_at(plan, tile, row * kLanes + lane) : tile.at;
    windows.sums[w] = 0;
  }
  walk(plan, trees, 0, end, cells, windows);
#pragma unroll
  for (int w = 0; w < kRows; ++w)
    append(memory, 1, windows.alive[w], (warp + w * kWarps) * kLanes + lane, windows.sums[w]);
}

/// More trees of what is left.
__device__ void next_round(const AcfPlan& plan, const LaneTrees& trees, const ScanTile& tile,
                           const float* cells, int round, int first, int end, ScanMemory& memory) {
  const int count = memory.counts[round % 3];
  for (int begin = static_cast<int>(threadIdx.x) / kLanes * kLanes; begin < count;
       begin += kThreads) {
    const int i = begin + static_cast<int>(nms::lane_id());
    const bool there = i < count;
    const int place = there ? memory.places[round % 2][i] : 0;
    Windows<1> window{
        {window_at(plan, tile, place)}, {there ? memory.sums[round % 2][i] : 0}, {there}};
    walk(plan, trees, first, end, cells, window);
    append(memory, round + 1, window.alive[0], place, window.sums[0]);
  }
}

/// To the list of what warps go on with.
__device__ void list_left(const ScanTile& tile, const AcfBuffers& buffers, int round,
                          ScanMemory& memory) {
  const int count = memory.counts[round % 3];
  if (threadIdx.x == 0 && count > 0)
    memory.first = atomicAdd(&buffers.counts->left, static_cast<unsigned>(count));
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) {
    const int place = memory.places[round % 2][i];
    const int row = tile.first.height + place / kScanTile.width;
    const int column = tile.first.width + place % kScanTile.width;
    buffers.left[memory.first + static_cast<unsigned>(i)] = {
        tile.first_place + static_cast<unsigned>(row) * static_cast<unsigned>(tile.places_across) +
            static_cast<unsigned>(column),
        memory.sums[round % 2][i]};
  }
}

/// A block a tile.
__global__ void __launch_bounds__(kThreads)
    tiles_kernel(const __grid_constant__ AcfPlan plan, const __grid_constant__ LaneTrees trees,
                 const __grid_constant__ AcfBuffers buffers, int first_tile) {
  __shared__ ScanMemory memory;
  if (threadIdx.x < 3) memory.counts[threadIdx.x] = 0;
  const ScanTile tile = tile_of(plan, first_tile + static_cast<int>(blockIdx.x));
  __syncthreads();
  int walked = min(4, plan.lane_trees);
  first_round(plan, trees, tile, buffers.cells, walked, memory);
  __syncthreads();
  int round = 1;
  for (; walked < plan.lane_trees && memory.counts[round % 3] > 0; ++round) {
    const int end = min(2 * walked, plan.lane_trees);
    next_round(plan, trees, tile, buffers.cells, round, walked, end, memory);
    __syncthreads();
    if (threadIdx.x == 0) memory.counts[round % 3] = 0;
    walked = end;
  }
  list_left(tile, buffers, round, memory);
}

// --- What is left: a window a warp ---------------------------------------------------------------

__device__ const DeviceScale& scale_of_place(const AcfPlan& plan, unsigned place) {
  int scale = 0;
  for (int end = plan.scale_count; end - scale > 1;) {
    const int middle = (scale + end) / 2;
    (plan.scales[middle].first_place > place ? end : scale) = middle;
  }
  return plan.scales[scale];
}

/// A place of a scale.
struct ScalePlace {
  const DeviceScale* scale;
  int column;
  int row;
};

__device__ ScalePlace place_of(const AcfPlan& plan, unsigned place) {
  const DeviceScale& scale = scale_of_place(plan, place);
  const unsigned in_scale = place - scale.first_place;
  const auto across = static_cast<unsigned>(scale.scale.places.width);
  return {&scale, static_cast<int>(in_scale % across), static_cast<int>(in_scale / across)};
}

/// The rest of its trees. False where the sum of the first n of them is out for any n.
__device__ bool walk_rest(const AcfPlan& plan, const float* cells, unsigned at, std::int32_t& sum) {
  const int lane = static_cast<int>(nms::lane_id());
  for (int first = plan.lane_trees; first < plan.tree_count; first += kLanes) {
    const bool there = first + lane < plan.tree_count;
    const DeviceTree tree = plan.trees[there ? first + lane : first];
    const std::int32_t leaf = there ? leaf_of(tree, cells, at) : 0;
    const std::int32_t so_far = sum + nms::warp_inclusive_sum(leaf);
    if (__any_sync(nms::kAllLanes, there && so_far <= plan.threshold)) return false;
    sum = __shfl_sync(nms::kAllLanes, so_far, kLanes - 1);
  }
  return true;
}

/// A window that passes, but one that lies in the padding as a whole.
__device__ void list_found(const AcfPlan& plan, const AcfBuffers& buffers, const ScalePlace& at,
                           SummedPlace found) {
  const Box box = clipped(window_box(at.scale->scale, at.column, at.row), plan.picture);
  if (!(sub(box.x2, box.x1) > 0 && sub(box.y2, box.y1) > 0)) return;
  const unsigned index = atomicAdd(&buffers.counts->found, 1U);
  if (index >= buffers.capacity) return;
  buffers.found[index] = found;
  buffers.boxes[index] = box;
}

__global__ void __launch_bounds__(kThreads)
    rest_kernel(const __grid_constant__ AcfPlan plan, const __grid_constant__ AcfBuffers buffers) {
  const unsigned lane = nms::lane_id();
  const unsigned left = buffers.counts->left;
  for (;;) {
    unsigned next = lane == 0 ? atomicAdd(&buffers.counts->next, 1U) : 0;
    next = __shfl_sync(nms::kAllLanes, next, 0);
    if (next >= left) return;
    SummedPlace window = buffers.left[next];
    const ScalePlace at = place_of(plan, window.place);
    const auto first =
        static_cast<unsigned>(sizeof(float)) *
        static_cast<unsigned>(at.scale->first_cell + at.row * plan.stride + at.column);
    const bool passes = walk_rest(plan, buffers.cells, first, window.sum);
    if (passes && window.sum >= plan.least_sum && lane == 0) list_found(plan, buffers, at, window);
  }
}

// --- Candidates ----------------------------------------------------------------------------------

/// Enough for any device.
constexpr unsigned kSelectionBlocks = 1024;

/// A warp a window: its rank is how many come before it.
__global__ void __launch_bounds__(kThreads)
    select_kernel(const __grid_constant__ AcfPlan plan, const __grid_constant__ AcfBuffers buffers,
                  cuda::DeviceDetections to) {
  const unsigned all = buffers.counts->found;
  const unsigned count = min(all, buffers.capacity);
  const unsigned lane = nms::lane_id();
  for (unsigned i = blockIdx.x * kWarps + threadIdx.x / kLanes; i < count;
       i += gridDim.x * kWarps) {
    const SummedPlace window = buffers.found[i];
    unsigned before = 0;
    for (unsigned other = lane; other < count; other += kLanes)
      before += buffers.found[other].place < window.place ? 1 : 0;
    before = nms::warp_sum(before);
    if (lane != 0 || before >= to.capacity) continue;
    to.boxes[before] = buffers.boxes[i];
    to.scores[before] = score_of(plan.curve, window.sum);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *to.count = all > buffers.capacity ? to.capacity + (all - buffers.capacity) : all;
}

}  // namespace

int scan_blocks() {
  int device = 0;
  int processors = 0;
  int at_once = 0;
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  FACEPIPE_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  FACEPIPE_CUDA_CHECK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, rest_kernel, kThreads, 0));
  return processors * at_once;
}

void launch_scan(const AcfPlan& plan, const LaneTrees& trees, const BatchPlan& batch,
                 const AcfBuffers& buffers, int blocks, cuda::StreamView stream) {
  if (batch.tiles == 0) return;
  cuda::fill(cuda::DeviceSpan<std::uint32_t>{&buffers.counts->left, 2}, 0, stream);
  tiles_kernel<<<static_cast<unsigned>(batch.tiles), kThreads, 0, stream.get()>>>(
      plan, trees, buffers, batch.first_tile);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
  rest_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream.get()>>>(plan, buffers);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_selection(const AcfPlan& plan, const AcfBuffers& buffers,
                      const cuda::DeviceDetections& to, cuda::StreamView stream) {
  select_kernel<<<kSelectionBlocks, kThreads, 0, stream.get()>>>(plan, buffers, to);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::acf
