#include <initializer_list>

#include "core/cuda/check.h"
#include "nms/cuda/device.cuh"
#include "nms/cuda/groups.h"

namespace facepipe::nms {
namespace {

constexpr unsigned kBlock = 256;
constexpr unsigned kStagedRows = 32;  // number of rows in a tile of pairs
constexpr unsigned kBlocksAMultiprocessor = 8;

struct GroupsArguments {
  CandidateView view;
  std::uint32_t min_neighbours;
  GroupsScratch scratch;
  std::uint32_t* indices;
  float4* boxes;
  float* scores;
  std::uint32_t* count;
  std::uint32_t* beyond_capacity;
};

__device__ __forceinline__ unsigned looked_at(const CandidateView& view) {
  return min(__ldg(view.count), view.capacity);
}

// --- Which candidates are one group --------------------------------------------------------------

__global__ void __launch_bounds__(kBlock) collect_kernel(const GroupsArguments work) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *work.scratch.large_count = 0;
    *work.count = 0;
    *work.beyond_capacity = *work.view.count - looked_at(work.view);
  }
  const unsigned n = looked_at(work.view);
  for (unsigned i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock) {
    WholeBox whole;
    if (isnan(__ldg(work.view.scores + i)) ||
        !round_to_pixels(as_box(__ldg(work.view.boxes + i)), whole))
      whole = {};
    work.scratch.boxes[i] = whole;
    work.scratch.parents[i] = i;
    work.scratch.sums[i] = {};
    work.scratch.members[i] = 0;
  }
}

/// Returns the root of a candidate's tree. Meanwhile, other threads may attach this root to another
/// root. Shortens the path to the root: attaches each candidate on the path to its grandparent.
__device__ unsigned root_of(std::uint32_t* parents, unsigned candidate) {
  unsigned parent = load_relaxed(parents + candidate);
  while (parent != candidate) {
    const unsigned grandparent = load_relaxed(parents + parent);
    if (grandparent != parent) store_relaxed(parents + candidate, grandparent);
    candidate = parent;
    parent = grandparent;
  }
  return candidate;
}

/// Joins the trees of two candidates. A root is only attached to a root of lower index, and only
/// while it is still a root. So there are no cycles, and the root is the lowest candidate of its
/// tree. The order in which trees are joined doesn't matter.
__device__ void connect(std::uint32_t* parents, unsigned a, unsigned b) {
  a = root_of(parents, a);
  b = root_of(parents, b);
  while (a != b) {
    const unsigned upper = max(a, b);
    const unsigned lower = min(a, b);
    const unsigned before = atomicCAS(parents + upper, upper, lower);
    if (before == upper) return;
    a = root_of(parents, before);
    b = root_of(parents, lower);
  }
}

__device__ __forceinline__ int4 as_int4(const WholeBox& box) {
  return make_int4(box.x, box.y, box.width, box.height);
}
__device__ __forceinline__ WholeBox as_whole_box(int4 box) { return {box.x, box.y, box.z, box.w}; }

/// Compares each candidate with each other candidate, in tiles of pairs. Each thread has a column
/// of the tile, and the tile's rows are in shared memory.
__global__ void __launch_bounds__(kBlock) connect_kernel(const GroupsArguments work) {
  __shared__ int4 rows[kStagedRows];  // holds WholeBoxes
  const unsigned n = looked_at(work.view);
  const unsigned column_tiles = (n + kBlock - 1) / kBlock;
  const unsigned row_tiles = (n + kStagedRows - 1) / kStagedRows;
  for (unsigned tile = blockIdx.x; tile < column_tiles * row_tiles; tile += gridDim.x) {
    const unsigned first_row = tile / column_tiles * kStagedRows;
    const unsigned first_column = tile % column_tiles * kBlock;
    // Each pair is compared only once, with the lower index as the row.
    if (first_row >= first_column + kBlock) continue;
    __syncthreads();
    if (threadIdx.x < kStagedRows && first_row + threadIdx.x < n)
      rows[threadIdx.x] = as_int4(work.scratch.boxes[first_row + threadIdx.x]);
    __syncthreads();
    const unsigned column = first_column + threadIdx.x;
    if (column >= n) continue;
    const WholeBox box = work.scratch.boxes[column];
    if (box.width == 0) continue;
    const unsigned end = min(kStagedRows, column - min(column, first_row));
    for (unsigned r = 0; r < end; ++r)
      if (rows[r].z != 0 && similar(as_whole_box(rows[r]), box))
        connect(work.scratch.parents, first_row + r, column);
  }
}

// --- What becomes of a group ---------------------------------------------------------------------

__device__ __forceinline__ unsigned long long unsigned_of(int value) {
  return static_cast<unsigned long long>(static_cast<long long>(value));
}

__global__ void __launch_bounds__(kBlock) sum_kernel(const GroupsArguments work) {
  const unsigned n = looked_at(work.view);
  for (unsigned i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock) {
    const WholeBox box = work.scratch.boxes[i];
    if (box.width == 0) continue;
    const unsigned root = root_of(work.scratch.parents, i);
    GroupSums& sums = work.scratch.sums[root];
    atomicAdd(&sums.x, unsigned_of(box.x));
    atomicAdd(&sums.y, unsigned_of(box.y));
    atomicAdd(&sums.width, unsigned_of(box.width));
    atomicAdd(&sums.height, unsigned_of(box.height));
    atomicAdd(work.scratch.members + root, 1U);
  }
}

/// Returns the mean box, computed by OpenCV's arithmetic, as mean_of() of cpu/groups.cpp does.
__device__ WholeBox mean_of(const GroupSums& sums, unsigned members) {
  const float share = __fdiv_rn(1.0F, static_cast<float>(members));
  const auto mean = [share](unsigned long long sum) {
    const float rounded = __ll2float_rn(static_cast<long long>(sum));
    return static_cast<int>(rintf(__fmul_rn(rounded, share)));
  };
  return {mean(sums.x), mean(sums.y), mean(sums.width), mean(sums.height)};
}

__device__ float score_of(unsigned members, unsigned min_neighbours) {
  const auto n = static_cast<float>(members);
  return __fdiv_rn(n, __fadd_rn(n, static_cast<float>(min_neighbours)));
}

__global__ void __launch_bounds__(kBlock) list_kernel(const GroupsArguments work) {
  const GroupsScratch& scratch = work.scratch;
  const unsigned n = looked_at(work.view);
  for (unsigned i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock) {
    const unsigned members = scratch.members[i];
    if (members <= work.min_neighbours) continue;
    const unsigned at = atomicAdd(scratch.large_count, 1U);
    scratch.large[at] = i;
    scratch.means[at] = mean_of(scratch.sums[i], members);
  }
}

/// Returns the enlarged box, as grown() of cpu/groups.cpp does, which explains the arithmetic.
__device__ WholeBox grown(const WholeBox& box) {
  const int dx = (box.width + 2) / 5;
  const int dy = (box.height + 2) / 5;
  return {box.x - dx, box.y - dy, box.width + 2 * dx, box.height + 2 * dy};
}

__device__ bool lies_within(const WholeBox& inner, const WholeBox& outer) {
  return inner.x >= outer.x && inner.y >= outer.y &&
         inner.x + inner.width <= outer.x + outer.width &&
         inner.y + inner.height <= outer.y + outer.height;
}

/// Decides which large groups are kept; each warp looks at one group at a time. Writes the group's
/// key, or 0 if the group lies within a stronger group.
__global__ void __launch_bounds__(kBlock) judge_kernel(const GroupsArguments work) {
  const GroupsScratch& scratch = work.scratch;
  const unsigned groups = *scratch.large_count;
  const unsigned warps = gridDim.x * (kBlock / 32);
  for (unsigned g = blockIdx.x * (kBlock / 32) + warp_id(); g < groups; g += warps) {
    const WholeBox box = scratch.means[g];
    const unsigned index = scratch.large[g];
    const unsigned members = scratch.members[index];
    bool goes = false;
    for (unsigned other = lane_id(); other < groups && !goes; other += 32)
      goes = other != g && (members < 3 || scratch.members[scratch.large[other]] > members) &&
             lies_within(box, grown(scratch.means[other]));
    goes = __any_sync(kAllLanes, goes);
    if (lane_id() == 0)
      scratch.keys[g] =
          goes ? 0 : key_of(ordered_bits(score_of(members, work.min_neighbours)), index);
  }
}

/// Ranks the kept groups; each warp looks at one group at a time. A group's rank is the number of
/// groups that have a greater key.
__global__ void __launch_bounds__(kBlock) rank_kernel(const GroupsArguments work) {
  const GroupsScratch& scratch = work.scratch;
  const unsigned groups = *scratch.large_count;
  const unsigned warps = gridDim.x * (kBlock / 32);
  for (unsigned g = blockIdx.x * (kBlock / 32) + warp_id(); g < groups; g += warps) {
    const std::uint64_t key = scratch.keys[g];
    if (!is_valid_key(key)) continue;
    unsigned rank = 0;
    for (unsigned other = lane_id(); other < groups; other += 32)
      rank += scratch.keys[other] > key ? 1 : 0;
    rank = warp_sum(rank);
    if (lane_id() != 0) continue;
    const WholeBox box = scratch.means[g];
    const unsigned index = index_of(key);
    work.indices[rank] = index;
    work.scores[rank] = score_of(scratch.members[index], work.min_neighbours);
    work.boxes[rank] =
        make_float4(static_cast<float>(box.x), static_cast<float>(box.y),
                    static_cast<float>(box.x + box.width), static_cast<float>(box.y + box.height));
    atomicAdd(work.count, 1U);
  }
}

}  // namespace

void launch_groups(const CandidateView& view, std::uint32_t min_neighbours,
                   const GroupsScratch& scratch, std::uint32_t multiprocessors,
                   const DeviceKept& kept, cudaStream_t stream) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): both are four floats
  auto* const boxes = reinterpret_cast<float4*>(kept.boxes);
  const GroupsArguments work{view,  min_neighbours, scratch,    kept.indices,
                             boxes, kept.scores,    kept.count, kept.beyond_capacity};
  const unsigned blocks = kBlocksAMultiprocessor * multiprocessors;
  for (auto* const kernel :
       {collect_kernel, connect_kernel, sum_kernel, list_kernel, judge_kernel, rank_kernel}) {
    kernel<<<blocks, kBlock, 0, stream>>>(work);
    FACEPIPE_CUDA_CHECK(cudaGetLastError());
  }
}

}  // namespace facepipe::nms
