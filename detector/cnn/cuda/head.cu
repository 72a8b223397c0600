#include "detector/cnn/cuda/head.h"

#include <algorithm>
#include <string>

#include "core/cuda/check.h"
#include "core/error.h"
#include "detector/cnn/cuda/head_decode.cuh"

namespace facepipe::detector::engine {
namespace {

constexpr int kThreads = 256;
constexpr int kCellsPerThread = 4;
constexpr int kBlockCells = kThreads * kCellsPerThread;
constexpr int kWarpWords = 32;  // a word has a bit for each cell of a warp
constexpr int kBlockWords = kBlockCells / kWarpWords;
static_assert(kBlockWords == kWarpWords, "a warp adds up a block's words");

struct Arguments : HeadArguments {
  std::uint32_t* words;   ///< one bit for each cell
  std::uint32_t* counts;  ///< one count for each block
};

/// Returns a cell by its index among the cells of all levels.
__device__ __forceinline__ DeviceCell cell_of_level(const Arguments& a, std::uint32_t cell) {
  int index = 0;
  while (index + 1 < a.level_count && cell >= a.levels[index + 1].first) ++index;
  const Level& level = a.levels[index];
  return cell_at(a, level, cell - level.first);
}

__device__ __forceinline__ std::uint32_t cell_of(int i) {
  return blockIdx.x * kBlockCells + static_cast<unsigned>(i) * kThreads + threadIdx.x;
}

template <class Cells>
__global__ void __launch_bounds__(kThreads) mark_kernel(const __grid_constant__ Arguments a) {
  std::uint32_t found = 0;
#pragma unroll
  for (int i = 0; i < kCellsPerThread; ++i) {
    const std::uint32_t cell = cell_of(i);
    const bool holds = cell < a.cells && holds_candidate<Cells>(a, cell_of_level(a, cell));
    const std::uint32_t word = __ballot_sync(~0U, holds);
    if (threadIdx.x % kWarpWords == 0) {
      a.words[cell / kWarpWords] = word;
      found += static_cast<std::uint32_t>(__popc(word));
    }
  }
  __shared__ std::uint32_t sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (found != 0) atomicAdd(&sum, found);
  __syncthreads();
  if (threadIdx.x == 0) a.counts[blockIdx.x] = sum;
}

/// Returns the sum of the first `count` counts, in all threads of the block.
__device__ std::uint32_t sum_of_counts(const Arguments& a, std::uint32_t count) {
  __shared__ std::uint32_t sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  std::uint32_t mine = 0;
  for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) mine += a.counts[i];
  if (mine != 0) atomicAdd(&sum, mine);
  __syncthreads();
  return sum;
}

template <class Cells>
__global__ void __launch_bounds__(kThreads) gather_kernel(const __grid_constant__ Arguments a) {
  if (blockIdx.x == gridDim.x - 1) {  // this block already adds up nearly all counts
    const std::uint32_t all = sum_of_counts(a, gridDim.x);
    if (threadIdx.x == 0) *a.to.count = all;
    __syncthreads();
  }
  if (a.counts[blockIdx.x] == 0) return;
  const std::uint32_t before = sum_of_counts(a, blockIdx.x);
  __shared__ std::uint32_t words[kBlockWords];
  __shared__ std::uint32_t places[kBlockWords];  // index of each word's first candidate
  if (threadIdx.x < kBlockWords) {
    const std::uint32_t word = a.words[blockIdx.x * kBlockWords + threadIdx.x];
    const auto own = static_cast<std::uint32_t>(__popc(word));
    std::uint32_t through = own;
    for (unsigned step = 1; step < kWarpWords; step *= 2) {
      const std::uint32_t other = __shfl_up_sync(~0U, through, step);
      if (threadIdx.x >= step) through += other;
    }
    words[threadIdx.x] = word;
    places[threadIdx.x] = before + through - own;
  }
  __syncthreads();
  for (int i = 0; i < kCellsPerThread; ++i) {
    const std::uint32_t cell = cell_of(i);
    const std::uint32_t index = cell / kWarpWords % kBlockWords;
    const std::uint32_t bit = 1U << (cell % kWarpWords);
    if ((words[index] & bit) == 0) continue;
    const std::uint32_t place =
        places[index] + static_cast<std::uint32_t>(__popc(words[index] & (bit - 1)));
    if (place >= a.to.capacity) continue;
    write_candidate<Cells>(a, cell_of_level(a, cell), place);
  }
}

std::uint32_t blocks_for(std::uint32_t cells) { return (cells + kBlockCells - 1) / kBlockCells; }

template <class Cells>
void launch(const Arguments& arguments, cudaStream_t stream) {
  const std::uint32_t blocks = blocks_for(arguments.cells);
  mark_kernel<Cells><<<blocks, kThreads, 0, stream>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
  gather_kernel<Cells><<<blocks, kThreads, 0, stream>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void check_output(const NetworkOutput& output, const graph::MapShape& expected,
                  const std::string& source) {
  if (output.place.element != Element::f32 || output.place.shape != expected)
    throw Error(ErrorKind::device, "model " + source + ": output " + output.name +
                                       " can't be decoded by the CUDA engine");
}

}  // namespace

void CandidateHead::check(const cuda::DeviceSpan<std::uint32_t>& scratch, bool landmarks,
                          const cuda::DeviceDetections& to) const {
  if (scratch.size < scratch_words())
    throw Error(ErrorKind::internal, "detector: too little scratch memory for the head");
  if (landmarks != (to.landmarks != nullptr))
    throw Error(ErrorKind::internal, "detector: the head's landmarks have no place, or no source");
}

HeadKernels::HeadKernels(const HeadData& head, const NetworkFit& fit,
                         const std::vector<NetworkOutput>& outputs, float score_threshold,
                         const std::string& source)
    : head_(head), fit_(fit), score_threshold_(score_threshold), outputs_(outputs) {
  const std::size_t levels = head.strides.size();
  const std::size_t tensors = head.outputs.size();
  if (levels > kHeadLevels || tensors > kHeadTensors || head.anchors > kHeadAnchors)
    throw Error(ErrorKind::internal, "detector: more outputs than the head's kernels read");
  if (outputs.size() != levels * tensors)
    throw Error(ErrorKind::internal, "detector: the number of outputs is not the model's");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const int stride = head.strides[i / tensors];
    check_output(outputs[i],
                 {head.anchors * head.outputs[i % tensors].channels, fit.network.height / stride,
                  fit.network.width / stride},
                 source);
    if (i % tensors == 0) cells_ += cells_of(outputs[i].place);
  }
}

std::uint32_t HeadKernels::cells_of(const Placement& map) const {
  return static_cast<std::uint32_t>(map.pixels()) * static_cast<std::uint32_t>(head_.anchors);
}

void HeadKernels::fill_levels(HeadArguments& a, const std::byte* activations) const {
  const std::size_t tensors = head_.outputs.size();
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < head_.strides.size(); ++i) {
    Level& level = a.levels[i];
    for (std::size_t t = 0; t < tensors; ++t) {
      const Placement& map = outputs_[i * tensors + t].place;
      const auto* const values = reinterpret_cast<const float*>(activations + map.offset);
      level.tensors[t] = {values + map.first_channel, map.pitch, head_.outputs[t].channels,
                          map.pending};
    }
    const Placement& map = outputs_[i * tensors].place;
    level.first = first;
    level.columns = static_cast<std::uint32_t>(map.shape.width);
    level.stride = static_cast<float>(head_.strides[i]);
    if (!head_.anchor_sizes.empty())
      std::copy_n(head_.anchor_sizes[i].begin(), head_.anchors, level.anchors);
    first += cells_of(map);
  }
  a.level_count = static_cast<int>(head_.strides.size());
  a.cells = cells_;
}

std::size_t HeadKernels::scratch_words() const {
  return std::size_t{blocks_for(cells_)} * (kBlockWords + 1);
}

void HeadKernels::enqueue(const std::byte* activations, cuda::DeviceSpan<std::uint32_t> scratch,
                          const cuda::DeviceDetections& to, cuda::StreamView stream) const {
  check(scratch, head_.landmarks, to);
  Arguments a{};
  fill_levels(a, activations);
  a.anchors = static_cast<std::uint32_t>(head_.anchors);
  a.numbers = head_.numbers;
  a.landmarks = head_.landmarks;
  a.threshold = score_threshold_;
  set_frame(a, fit_);
  a.words = scratch.data;
  a.counts = scratch.data + std::size_t{blocks_for(cells_)} * kBlockWords;
  a.to = to;
  with_cells_of(head_.kind, [&]<class Cells>(Cells) { launch<Cells>(a, stream.get()); });
}

}  // namespace facepipe::detector::engine
