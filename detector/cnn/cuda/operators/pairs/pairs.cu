#include <algorithm>

#include "core/cuda/check.h"
#include "core/cuda/launch.h"
#include "core/cuda/programmatic.cuh"
#include "core/error.h"
#include "detector/cnn/cuda/operators/pairs/pairs.h"
#include "detector/cnn/cuda/operators/pairs/strip.cuh"

namespace facepipe::detector::engine {
namespace {

constexpr int kMostWarps = kPairChannels / kPairGroup;
constexpr int kUsualWarps = 4;  // number of warps of a block that has room for more than one team
constexpr int kStepCounts[] = {1, 2, 4, 8};

/// Returns the largest number of registers of a thread. With 128, a multiprocessor runs four blocks
/// of the usual size. If values of the inner loop would then be spilled, 168 is better; a
/// multiprocessor then runs three blocks. 255 is the maximum.
template <int kSteps, PairResult kResult>
constexpr int most_registers() {
  if (kSteps == 8 || kResult == PairResult::floats) return 255;
  const bool maxima = kResult == PairResult::maxima || kResult == PairResult::halves_and_maxima;
  return kSteps == 4 && maxima ? 168 : 128;
}

template <int kSteps, PairResult kResult, bool kRelu, bool kUpsampled>
__global__ void __maxnreg__((most_registers<kSteps, kResult>()))
    pairs_kernel(const __grid_constant__ PairsArguments a) {
#if __CUDA_ARCH__ >= 800
  // The next kernel's blocks must not start while many blocks of this kernel still run. Otherwise
  // some multiprocessors would get more of the next kernel's blocks than others.
  const bool early = gridDim.x <= static_cast<unsigned>(a.multiprocessors);
  if (early) cuda::let_next_kernel_start();
  extern __shared__ __align__(128) std::byte staged[];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const Team team{a.groups};
  const int team_index = warp / a.groups;
  const int index = static_cast<int>(blockIdx.x) * a.teams + team_index;
  if (index >= a.tiles) return;
  const PairMap& map = map_of(a, index);
  const int tile = index - map.first_tile;
  const int first_y = tile / map.strips * a.rows;
  const auto memory =
      static_cast<std::uint32_t>(__cvta_generic_to_shared(staged)) +
      static_cast<unsigned>(team_index * stages<kSteps>() * stage_bytes<kSteps, kUpsampled>());
  compute_tile<kSteps, kResult, kRelu, kUpsampled>(map, team, warp % a.groups,
                                                   tile % map.strips * kPairColumns - 1, first_y,
                                                   min(a.rows, map.height - first_y), memory);
  if (!early) cuda::let_next_kernel_start();
#endif
}

using Kernel = void (*)(PairsArguments);

struct Instance {
  Kernel kernel;
  int team_bytes;  ///< number of bytes of shared memory of a team
};

template <int kSteps, PairResult kResult, bool kRelu, bool kUpsampled>
Instance instance() {
  return {pairs_kernel<kSteps, kResult, kRelu, kUpsampled>,
          stages<kSteps>() * stage_bytes<kSteps, kUpsampled>()};
}

template <int kSteps, bool kRelu>
Instance instance_of(PairResult result, bool upsampled) {
  if (upsampled && result != PairResult::halves)
    throw Error(ErrorKind::internal,
                "pairs: there is no kernel that writes upsampled maps in this way");
  switch (result) {
    case PairResult::halves:
      return upsampled ? instance<kSteps, PairResult::halves, kRelu, true>()
                       : instance<kSteps, PairResult::halves, kRelu, false>();
    case PairResult::floats:
      return instance<kSteps, PairResult::floats, kRelu, false>();
    case PairResult::maxima:
      return instance<kSteps, PairResult::maxima, kRelu, false>();
    case PairResult::halves_and_maxima:
      return instance<kSteps, PairResult::halves_and_maxima, kRelu, false>();
  }
  throw Error(ErrorKind::internal, "pairs: the kind of result is unknown");
}

template <int kSteps>
Instance instance_of(const PairKind& kind) {
  return kind.relu ? instance_of<kSteps, true>(kind.result, kind.upsampled)
                   : instance_of<kSteps, false>(kind.result, kind.upsampled);
}

Instance instance_of(const PairKind& kind) {
  switch (kind.steps) {
    case 1:
      return instance_of<1>(kind);
    case 2:
      return instance_of<2>(kind);
    case 4:
      return instance_of<4>(kind);
    case 8:
      return instance_of<8>(kind);
    default:
      throw Error(ErrorKind::internal,
                  "pairs: there is no kernel for this number of input channels");
  }
}

void check(const PairKind& kind, const PairsArguments& a) {
  if (a.map_count < 1 || a.map_count > kPairMaps)
    throw Error(ErrorKind::internal, "pairs: there is no kernel for this number of maps");
  if (a.groups < 1 || a.groups > kMostWarps)
    throw Error(ErrorKind::internal,
                "pairs: there is no kernel for this number of output channels");
  if (a.rows < 1 || a.teams < 1 || a.teams > (a.groups == 1 ? kMostWarps : 1) ||
      (has_maxima(kind.result) && a.rows % 2 != 0))
    throw Error(ErrorKind::internal, "pairs: there is no kernel for this tile");
}

int divide_up(int value, int by) { return (value + by - 1) / by; }

}  // namespace

std::optional<int> pair_steps(int channels) {
  for (const int steps : kStepCounts)
    if (channels <= 16 * steps) return steps;
  return std::nullopt;
}

PairRoom prepare_pairs(const PairKind& kind, int groups) {
  const Instance instance = instance_of(kind);
  int device = 0;
  int bytes = 0;
  PairRoom room;
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  FACEPIPE_CUDA_CHECK(
      cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  FACEPIPE_CUDA_CHECK(
      cudaDeviceGetAttribute(&room.multiprocessors, cudaDevAttrMultiProcessorCount, device));
  int major = 0;
  FACEPIPE_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  room.overlaps = 10 * major >= cuda::kOldestWithClusters;
  FACEPIPE_CUDA_CHECK(
      cudaFuncSetAttribute(instance.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  FACEPIPE_CUDA_CHECK(cudaFuncSetAttribute(instance.kernel,
                                           cudaFuncAttributePreferredSharedMemoryCarveout,
                                           cudaSharedmemCarveoutMaxShared));
  for (room.teams = groups == 1 ? kUsualWarps : 1; room.teams > 0; room.teams /= 2) {
    if (room.teams * instance.team_bytes > bytes) continue;
    FACEPIPE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &room.blocks, instance.kernel, room.teams * groups * 32,
        static_cast<std::size_t>(room.teams * instance.team_bytes)));
    if (room.blocks > 0) return room;
  }
  throw Error(ErrorKind::device, "detector: the device is too small for the kernel 'pairs'");
}

void launch_pairs(const PairKind& kind, const PairsArguments& arguments, cudaStream_t stream) {
  check(kind, arguments);
  PairsArguments a = arguments;
  a.tiles = 0;
  for (int i = 0; i < a.map_count; ++i) {
    PairMap& map = a.maps[i];
    map.strips = divide_up(map.width, kPairColumns);
    map.first_tile = a.tiles;
    a.tiles += map.strips * divide_up(map.height, a.rows);
  }
  const Instance instance = instance_of(kind);
  cuda::LaunchShape shape;
  shape.grid = {static_cast<unsigned>(divide_up(a.tiles, a.teams))};
  shape.block = {static_cast<unsigned>(a.teams * a.groups * 32)};
  shape.shared_bytes = static_cast<std::size_t>(a.teams * instance.team_bytes);
  shape.overlap = a.overlaps ? cuda::Overlap::prologue : cuda::Overlap::none;
  cuda::launch(instance.kernel, shape, stream, a);
}

}  // namespace facepipe::detector::engine
