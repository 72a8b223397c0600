#include "detector/cnn/cuda/head.h"

#include <array>
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

__device__ __forceinline__ const Level& level_of(const Arguments& a, std::uint32_t cell) {
  int level = 0;
  while (level + 1 < a.level_count && cell >= a.levels[level + 1].first) ++level;
  return a.levels[level];
}

__device__ __forceinline__ std::uint32_t cell_of(int i) {
  return blockIdx.x * kBlockCells + static_cast<unsigned>(i) * kThreads + threadIdx.x;
}

template <class Kind>
__global__ void __launch_bounds__(kThreads) mark_kernel(const __grid_constant__ Arguments a) {
  std::uint32_t found = 0;
#pragma unroll
  for (int i = 0; i < kCellsPerThread; ++i) {
    const std::uint32_t cell = cell_of(i);
    bool holds = false;
    if (cell < a.cells) {
      const Level& level = level_of(a, cell);
      const float score = Kind::score(level, cell - level.first);
      Candidate candidate;
      holds = score > a.threshold && isfinite(score) &&
              decode<Kind>(a, level, cell - level.first, candidate);
    }
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

/// Returns the sum of the first `count` counts to all threads of the block.
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

template <class Kind>
__global__ void __launch_bounds__(kThreads) gather_kernel(const __grid_constant__ Arguments a) {
  if (blockIdx.x == gridDim.x - 1) {  // this block has to add up the most anyway
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
    const Level& level = level_of(a, cell);
    Candidate candidate;
    decode<Kind>(a, level, cell - level.first, candidate);
    a.to.boxes[place] = candidate.box;
    a.to.scores[place] = Kind::score(level, cell - level.first);
    a.to.landmarks[place] = candidate.points;
  }
}

std::uint32_t blocks_for(std::uint32_t cells) { return (cells + kBlockCells - 1) / kBlockCells; }

template <class Kind>
void launch(const Arguments& arguments, cudaStream_t stream) {
  const std::uint32_t blocks = blocks_for(arguments.cells);
  mark_kernel<Kind><<<blocks, kThreads, 0, stream>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
  gather_kernel<Kind><<<blocks, kThreads, 0, stream>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void check_output(const Model& model, const ModelOutput& expected, const NetworkOutput& output,
                  Size network) {
  const Placement& place = output.place;
  const graph::MapShape shape{expected.channels, network.height / expected.stride,
                              network.width / expected.stride};
  if (place.element != Element::f32 || place.shape != shape)
    throw Error(ErrorKind::device, "model " + model.file().string() + ": output " + output.name +
                                       " can't be decoded by the CUDA engine");
}

}  // namespace

HeadKernels::HeadKernels(const Model& model, const NetworkFit& fit,
                         const std::vector<NetworkOutput>& outputs, float score_threshold)
    : kind_(model.kind()), fit_(fit), score_threshold_(score_threshold), outputs_(outputs) {
  const std::vector<ModelOutput>& expected = model.outputs();
  if (outputs.size() != expected.size())
    throw Error(ErrorKind::internal, "detector: the number of outputs is not the model's");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    check_output(model, expected[i], outputs[i], fit.network);
    if (levels_.empty() || levels_.back().stride != expected[i].stride) {
      levels_.push_back({i, 0, expected[i].stride});
      cells_ += static_cast<std::uint32_t>(outputs[i].place.pixels());
    }
    if (++levels_.back().count > kHeadTensors || levels_.size() > kHeadLevels)
      throw Error(ErrorKind::internal, "detector: more outputs than the head's kernels read");
  }
}

std::size_t HeadKernels::scratch_words() const {
  return std::size_t{blocks_for(cells_)} * (kBlockWords + 1);
}

void HeadKernels::enqueue(const std::byte* activations, cuda::DeviceSpan<std::uint32_t> scratch,
                          const cuda::DeviceDetections& to, cuda::StreamView stream) const {
  if (scratch.size < scratch_words())
    throw Error(ErrorKind::internal, "detector: too little scratch memory for the head");
  Arguments a{};
  std::uint32_t first = 0;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    Level& target = a.levels[level];
    for (std::size_t t = 0; t < levels_[level].count; ++t) {
      const Placement& place = outputs_[levels_[level].first + t].place;
      const auto* const values = reinterpret_cast<const float*>(activations + place.offset);
      target.tensors[t] = {values + place.first_channel, place.pitch, place.pending};
    }
    const Placement& place = outputs_[levels_[level].first].place;
    target.first = first;
    target.columns = static_cast<std::uint32_t>(place.shape.width);
    target.stride = static_cast<float>(levels_[level].stride);
    first += static_cast<std::uint32_t>(place.pixels());
  }
  a.level_count = static_cast<int>(levels_.size());
  a.cells = cells_;
  a.threshold = score_threshold_;
  set_frame(a, fit_);
  a.words = scratch.data;
  a.counts = scratch.data + std::size_t{blocks_for(cells_)} * kBlockWords;
  a.to = to;
  switch (kind_) {
    case ModelKind::centerface:
      launch<Centerface>(a, stream.get());
      break;
    case ModelKind::yunet:
      launch<Yunet>(a, stream.get());
      break;
  }
}

}  // namespace facepipe::detector::engine
