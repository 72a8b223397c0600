#include <stdexcept>

#include "core/cuda/check.h"
#include "detector/cuda/operators/pair_warp.cuh"
#include "detector/cuda/operators/pairs.h"
#include "detector/cuda/operators/row_barrier.cuh"

namespace facepipe::engine {
namespace {

constexpr int kWarps = 4;
constexpr int kThreads = kWarps * 32;
constexpr int kStepCounts[] = {1, 2, 4, 8};

__host__ __device__ constexpr int rows_of(const PairTile& tile) {
  return tile.parts * tile.rows + 2;
}
/// The barriers of the rows stand before the rows.
__host__ __device__ constexpr int barrier_bytes(int rows) { return (8 * rows + 127) / 128 * 128; }

__device__ __forceinline__ int lane_index() { return static_cast<int>(threadIdx.x) % 32; }
__device__ __forceinline__ int warp_index() { return static_cast<int>(threadIdx.x) / 32; }

/// A thread block's place in its map and its shared memory.
struct Place {
  int first_x;  ///< of the strip's first pixel, which the output lacks
  int first_y;  ///< of the output's first row
  std::uint32_t barriers;
  std::uint32_t rows;
};

__device__ __forceinline__ const PairMap& map_of(const PairsArguments& a) {
  int map = 0;
  while (map + 1 < a.map_count && static_cast<int>(blockIdx.x) >= a.maps[map + 1].first_block)
    ++map;
  return a.maps[map];
}

/// Calls put(place, pixel, chunk) for the 16-byte chunks of a row that this lane brings.
template <int kSteps, class Put>
__device__ __forceinline__ void for_chunks(const Put& put) {
  using Row = StripRow<kSteps>;
#pragma unroll
  for (int i = 0; i < Row::kChunks; ++i) {
    const int piece = i * 32 + lane_index();
    const int pixel = piece / Row::kChunks;
    const int chunk = piece % Row::kChunks;
    put(Row::place(pixel, chunk), pixel, chunk);
  }
}

/// A row of the strip on its way to shared memory; zeros where there is no picture.
template <int kSteps>
__device__ __forceinline__ void copy_row(const PairMap& map, const Place& place, int y,
                                         std::uint32_t to) {
  const bool inside = static_cast<unsigned>(y) < static_cast<unsigned>(map.height);
  const __half* const from =
      map.input + (static_cast<long long>(y) * map.width + place.first_x) * map.input_pitch;
  for_chunks<kSteps>([&](std::uint32_t at, int pixel, int chunk) {
    const bool valid =
        inside && static_cast<unsigned>(place.first_x + pixel) < static_cast<unsigned>(map.width) &&
        chunk * 8 < map.input_pitch;
    copy_async<false>(to + at, valid ? from + pixel * map.input_pitch + chunk * 8 : map.input,
                      valid);
  });
}

/// As copy_row(), of the sum with the coarser map.
template <int kSteps>
__device__ __forceinline__ void add_row(const PairMap& map, const Place& place, int y,
                                        std::uint32_t to) {
  const bool inside = static_cast<unsigned>(y) < static_cast<unsigned>(map.height);
  for_chunks<kSteps>([&](std::uint32_t at, int pixel, int chunk) {
    const int x = place.first_x + pixel;
    Halves8 value{};
    if (inside && static_cast<unsigned>(x) < static_cast<unsigned>(map.width) &&
        chunk * 8 < map.input_pitch) {
      const long long fine = static_cast<long long>(y) * map.width + x;
      const long long coarse = static_cast<long long>(y / 2) * (map.width / 2) + x / 2;
      value = sum(read_halves(map.input + fine * map.input_pitch + chunk * 8),
                  read_halves(map.coarse + coarse * map.coarse_pitch + chunk * 8));
    }
    const auto& bits = reinterpret_cast<const uint4&>(value);
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to + at), "r"(bits.x),
                 "r"(bits.y), "r"(bits.z), "r"(bits.w)
                 : "memory");
  });
}

template <int kSteps>
__device__ __forceinline__ void bring_rows(const PairMap& map, const Place& place, int rows) {
  for (int row = warp_index(); row < rows; row += kWarps) {
    const std::uint32_t to =
        place.rows + static_cast<unsigned>(row) * static_cast<unsigned>(StripRow<kSteps>::kBytes);
    const std::uint32_t barrier = place.barriers + 8U * static_cast<unsigned>(row);
    if (map.coarse == nullptr) {
      copy_row<kSteps>(map, place, place.first_y - 1 + row, to);
      barrier_arrive_with_copies(barrier);
    } else {
      add_row<kSteps>(map, place, place.first_y - 1 + row, to);
      barrier_arrive(barrier);
    }
  }
}

/// Where a lane's results go.
template <class Two, bool kPooled>
class Sink {
 public:
  using Math = Arithmetic<Two>;

  __device__ __forceinline__ Sink(const PairMap& map, int first_x, int group)
      : map_(map),
        first_x_(first_x + lane_index() / 4 * 4),
        channel_(group * kPairGroup + lane_index() % 4 * 4) {
    const int group_of_lanes = lane_index() / 4;
    first_ = group_of_lanes == 0 ? 1 : 0;
    last_ = group_of_lanes == kStripPixels / 4 - 1 ? 2 : 3;
  }

  __device__ __forceinline__ void put(int y, const LaneRow<Two>& row) {
    if (map_.output != nullptr && channel_ < map_.output_pitch) {
      const long long pixel = static_cast<long long>(y) * map_.width + first_x_;
#pragma unroll
      for (int j = 0; j < 4; ++j)
        if (j >= first_ && j <= last_ && first_x_ + j < map_.width)
          Math::store(map_.output,
                      static_cast<std::size_t>((pixel + j) * map_.output_pitch + channel_),
                      row[0][j], row[1][j]);
    }
    if constexpr (kPooled) pool(y, row);
  }

 private:
  __device__ __forceinline__ void pool(int y, const LaneRow<Two>& row) {
    if (y % 2 == 0) {
#pragma unroll
      for (int n = 0; n < 2; ++n)
#pragma unroll
        for (int j = 0; j < 4; ++j) even_[n][j] = row[n][j];
      return;
    }
    Two two[2][2];
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      Two most[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) most[j] = __hmax2(even_[n][j], row[n][j]);
      // The strip begins one pixel before a window.
      two[0][n] = __hmax2(most[1], most[2]);
      two[1][n] = __hmax2(most[3], Math::neighbour_after(most[0]));
    }
    if (channel_ >= map_.pooled_pitch) return;
    const int width = map_.width / 2;
    const int x = (first_x_ + 1) / 2;
#pragma unroll
    for (int i = 0; i < 2; ++i)
      if (x + i < width && (i == 0 || last_ == 3))
        Math::store(
            map_.pooled,
            static_cast<std::size_t>(
                (static_cast<long long>(y / 2) * width + x + i) * map_.pooled_pitch + channel_),
            two[i][0], two[i][1]);
  }

  const PairMap& map_;
  int first_x_;  // of the lane's pixels
  int channel_;
  int first_;  // of the lane's pixels, that are results
  int last_;
  LaneRow<Two> even_;
};

template <int kSteps, PairResult kResult>
__device__ __forceinline__ void compute_unit(const PairMap& map, const Place& place, int group,
                                             int groups, int first_row, int rows) {
  constexpr bool kPooled = kResult == PairResult::pooled;
  using Two = std::conditional_t<kResult == PairResult::floats, float2, __half2>;
  using Row = StripRow<kSteps>;
  PairWarp<kSteps, Two> warp(map.weights, group, groups, lane_index());
  Sink<Two, kPooled> sink(map, place.first_x, group);
  const Two least = Arithmetic<Two>::least(map.relu != 0);
  std::uint32_t columns[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int x = place.first_x + lane_index() / 4 * 4 + j;
    columns[j] = static_cast<unsigned>(x) < static_cast<unsigned>(map.width) ? ~0U : 0U;
  }
  std::uint32_t from =
      place.rows + static_cast<unsigned>(first_row * Row::kBytes) + Row::matrix_place(lane_index());
  std::uint32_t barrier = place.barriers + 8U * static_cast<unsigned>(first_row);
  int y = place.first_y + first_row - 1;  // of the row that comes in
#pragma unroll 1
  for (int row = 0; row < rows + 2; ++row, ++y, from += Row::kBytes, barrier += 8) {
    barrier_wait(barrier);
    const bool inside = static_cast<unsigned>(y) < static_cast<unsigned>(map.height);
    std::uint32_t masks[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) masks[j] = inside ? columns[j] : 0;
    LaneRow<Two> between;
    warp.expand(from, masks, between);
    LaneRow<Two> done;
    warp.advance(between, least, done);
    if (row >= 2) sink.put(y - 1, done);
  }
}

template <int kSteps, PairResult kResult>
constexpr int blocks_per_multiprocessor() {
  if (kSteps == 8) return 2;
  return kResult == PairResult::floats ? 3 : 4;
}

template <int kSteps, PairResult kResult>
__global__ void __launch_bounds__(kThreads, (blocks_per_multiprocessor<kSteps, kResult>()))
    pairs_kernel(const __grid_constant__ PairsArguments a) {
#if __CUDA_ARCH__ >= 800
  extern __shared__ __align__(128) std::byte staged[];
  const PairMap& map = map_of(a);
  const int block = static_cast<int>(blockIdx.x) - map.first_block;
  const int rows = rows_of(a.tile);
  const auto shared = static_cast<std::uint32_t>(__cvta_generic_to_shared(staged));
  const Place place{block % map.strips * kPairColumns - 1,
                    block / map.strips * a.tile.parts * a.tile.rows, shared,
                    shared + static_cast<unsigned>(barrier_bytes(rows))};
  if (static_cast<int>(threadIdx.x) < rows) barrier_init(shared + 8 * threadIdx.x, 32);
  __syncthreads();
  bring_rows<kSteps>(map, place, rows);
  for (int unit = warp_index(); unit < a.groups * a.tile.parts; unit += kWarps) {
    const int first_row = unit / a.groups * a.tile.rows;
    const int left = map.height - place.first_y - first_row;
    if (left > 0)
      compute_unit<kSteps, kResult>(map, place, unit % a.groups, a.groups, first_row,
                                    min(a.tile.rows, left));
  }
  copies_commit();  // of rows that nobody read: the memory mustn't go to another block before
  copies_wait<0>();
#endif
}

using Kernel = void (*)(PairsArguments);

template <int kSteps>
Kernel kernel_of(PairResult result) {
  switch (result) {
    case PairResult::halves:
      return pairs_kernel<kSteps, PairResult::halves>;
    case PairResult::floats:
      return pairs_kernel<kSteps, PairResult::floats>;
    case PairResult::pooled:
      return pairs_kernel<kSteps, PairResult::pooled>;
  }
  throw std::invalid_argument("pairs: no such result");
}

/// Calls use(kernel of `result`, bytes of a row) for the instance of `steps`.
template <class Use>
auto with_instance(int steps, PairResult result, const Use& use) {
  switch (steps) {
    case 1:
      return use(kernel_of<1>(result), StripRow<1>::kBytes);
    case 2:
      return use(kernel_of<2>(result), StripRow<2>::kBytes);
    case 4:
      return use(kernel_of<4>(result), StripRow<4>::kBytes);
    case 8:
      return use(kernel_of<8>(result), StripRow<8>::kBytes);
    default:
      throw std::invalid_argument("pairs: no kernel for so many input channels");
  }
}

void check_tile(PairResult result, const PairTile& tile) {
  if (tile.rows < 1 || tile.parts < 1 || rows_of(tile) > kThreads)
    throw std::invalid_argument("pairs: no such tile");
  if (result == PairResult::pooled && tile.rows % 2 != 0)
    throw std::invalid_argument("pairs: windows of maxima would lie in two tiles");
}

}  // namespace

std::optional<graph::PairLimits> pair_limits_of_current_device() {
  int device = 0;
  int major = 0;
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  FACEPIPE_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  constexpr int kLeastMajor = 8;
  if (major < kLeastMajor) return std::nullopt;
  return graph::PairLimits{.channels = kPairChannels, .pairs = 1, .chains = kPairMaps};
}

std::optional<int> pair_steps(int channels) {
  for (const int steps : kStepCounts)
    if (channels <= 16 * steps) return steps;
  return std::nullopt;
}

std::size_t pair_shared_bytes(int steps, const PairTile& tile) {
  return with_instance(steps, PairResult::halves, [&](Kernel, int row_bytes) {
    return static_cast<std::size_t>(barrier_bytes(rows_of(tile)) + rows_of(tile) * row_bytes);
  });
}

void prepare_pairs(int steps, PairResult result) {
  int device = 0;
  int bytes = 0;
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  FACEPIPE_CUDA_CHECK(
      cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  with_instance(steps, result, [&](Kernel kernel, int) {
    FACEPIPE_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    FACEPIPE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                             cudaSharedmemCarveoutMaxShared));
  });
}

void launch_pairs(int steps, PairResult result, const PairsArguments& arguments,
                  cudaStream_t stream) {
  check_tile(result, arguments.tile);
  if (arguments.map_count < 1 || arguments.map_count > kPairMaps || arguments.groups < 1)
    throw std::invalid_argument("pairs: no such number of maps or groups");
  PairsArguments a = arguments;
  const int block_rows = a.tile.parts * a.tile.rows;
  int blocks = 0;
  for (int i = 0; i < a.map_count; ++i) {
    PairMap& map = a.maps[i];
    map.strips = (map.width + kPairColumns - 1) / kPairColumns;
    map.first_block = blocks;
    blocks += map.strips * ((map.height + block_rows - 1) / block_rows);
  }
  with_instance(steps, result, [&](Kernel kernel, int) {
    kernel<<<static_cast<unsigned>(blocks), kThreads, pair_shared_bytes(steps, a.tile), stream>>>(
        a);
    FACEPIPE_CUDA_CHECK(cudaGetLastError());
  });
}

}  // namespace facepipe::engine
