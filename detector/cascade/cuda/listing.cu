#include <cstddef>

#include "core/cuda/check.h"
#include "detector/cascade/cuda/kernels.h"
#include "detector/cascade/score.h"
#include "detector/cascade/skipping.h"
#include "nms/cuda/device.cuh"

namespace facepipe::detector::cascade {
namespace {

constexpr int kThreads = 256;
constexpr int kLanes = 32;
constexpr int kWarps = kThreads / kLanes;

// --- The windows ---

__device__ const DeviceLevel& level_of_word(const ScanPlan& plan, int word) {
  int level = 0;
  for (int end = plan.levels.count; end - level > 1;) {
    const int middle = (level + end) / 2;
    (plan.levels.all[middle].first_word > word ? end : level) = middle;
  }
  return plan.levels.all[level];
}

/// Returns which windows of a word OpenCV doesn't skip. Words to the left in which all windows fail
/// can be ignored, because they don't change whether the length of a run of failures is even.
__device__ unsigned seen_of_word(const DeviceLevel& level, const ScanBuffers& buffers, int word) {
  const int row_begin = word - (word - level.first_word) % level.words;
  unsigned skip = 0;
  for (int left = word - 1; left >= row_begin; --left) {
    const unsigned failed = buffers.failed[left];
    if (failed == nms::kAllLanes) continue;
    skip = static_cast<unsigned>(__clz(static_cast<int>(~failed))) % 2;
    break;
  }
  return looked_at(buffers.failed[word], skip);
}

__device__ nms::WholeBox window_of(const DeviceLevel& level, int in_level, int bit) {
  const auto scaled = [&](int place) {
    return __float2int_rn(__fmul_rn(static_cast<float>(place * level.step), level.scale));
  };
  return {scaled(in_level % level.words * kWordPlaces + bit), scaled(in_level / level.words),
          level.box_size.width, level.box_size.height};
}

/// Lists windows. Each thread handles a word.
__global__ void __launch_bounds__(kThreads) list_kernel(ScanPlan plan, ScanBuffers buffers) {
  const auto word = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  unsigned bits = word < plan.levels.word_count ? buffers.passed[word] : 0;
  if (bits == 0) return;
  const DeviceLevel& level = level_of_word(plan, word);
  bits &= seen_of_word(level, buffers, word);
  unsigned at = atomicAdd(&buffers.counts->found, static_cast<unsigned>(__popc(bits)));
  for (; bits != 0 && at < buffers.capacity; bits &= bits - 1, ++at) {
    const int bit = __ffs(static_cast<int>(bits)) - 1;
    buffers.found[at] = static_cast<unsigned>(word * kWordPlaces + bit);
    buffers.found_windows[at] = window_of(level, word - level.first_word, bit);
  }
}

// --- Scores ---

/// This number of blocks is enough for any device.
constexpr unsigned kScoreBlocks = 1024;

/// Returns the sum of `value` over all threads of the block; only the first thread gets it.
template <typename Value>
__device__ Value block_sum(Value value, Value* of_warps) {
  const auto add = [](Value a, Value b) { return a + b; };
  value = nms::warp_combined(value, add);
  if (threadIdx.x % kLanes == 0) of_warps[threadIdx.x / kLanes] = value;
  __syncthreads();
  Value sum = 0;
  if (threadIdx.x == 0)
    for (int i = 0; i < kWarps; ++i) sum += of_warps[i];
  return sum;
}

/// Computes a window's score, and its position in the order of all windows. Each block handles one
/// window at a time.
template <bool kEveryWindow>
__global__ void __launch_bounds__(kThreads) score_kernel(ScanBuffers buffers) {
  __shared__ std::int64_t sums[kWarps];
  __shared__ unsigned befores[kWarps];
  const unsigned count = min(buffers.counts->found, buffers.capacity);
  for (unsigned i = blockIdx.x; i < count; i += gridDim.x) {
    const nms::WholeBox box = buffers.found_windows[i];
    const std::uint32_t number = buffers.found[i];
    std::int64_t sum = 0;
    unsigned before = 0;
    for (unsigned other = threadIdx.x; other < count; other += kThreads) {
      if constexpr (!kEveryWindow) sum += nms::agreement(box, buffers.found_windows[other]);
      before += buffers.found[other] < number ? 1 : 0;
    }
    sum = block_sum(sum, sums);
    before = block_sum(before, befores);
    if (threadIdx.x == 0) {
      const auto agreement = static_cast<float>(static_cast<double>(sum) / nms::kWholeIou);
      buffers.scores[before] = kEveryWindow ? 1 : agreement_score(agreement);
      buffers.windows[before] = box;
    }
    __syncthreads();  // waits until the sums have been read
  }
}

__device__ Box whole_box(const nms::WholeBox& box) {
  return {static_cast<float>(box.x), static_cast<float>(box.y),
          static_cast<float>(box.x + box.width), static_cast<float>(box.y + box.height)};
}

__device__ Box clipped_box(const nms::WholeBox& box, Size picture) {
  return {static_cast<float>(max(box.x, 0)), static_cast<float>(max(box.y, 0)),
          static_cast<float>(min(box.x + box.width, picture.width)),
          static_cast<float>(min(box.y + box.height, picture.height))};
}

/// Returns the sum of `value` over the threads before this one. Sets *total to the sum over all
/// kThreads threads.
__device__ unsigned sum_before(unsigned value, unsigned* of_warps, unsigned* total) {
  const unsigned warp = threadIdx.x / kLanes;
  unsigned before = nms::warp_inclusive_sum(value) - value;
  if (threadIdx.x % kLanes == kLanes - 1) of_warps[warp] = before + value;
  __syncthreads();
  *total = 0;
  for (unsigned i = 0; i < kWarps; ++i) {
    if (i < warp) before += of_warps[i];
    *total += of_warps[i];
  }
  __syncthreads();
  return before;
}

/// Selects candidates, in the windows' order. Only one block runs.
__global__ void __launch_bounds__(kThreads)
    select_kernel(ScanBuffers buffers, Size picture, Selection selection,
                  cuda::DeviceDetections to) {
  __shared__ unsigned of_warps[kWarps];
  const unsigned all = buffers.counts->found;
  const unsigned count = min(all, buffers.capacity);
  unsigned before_all = 0;
  for (unsigned first = 0; first < count; first += kThreads) {
    const unsigned i = first + threadIdx.x;
    const bool wanted =
        i < count && (selection.every_window || buffers.scores[i] > selection.score_threshold);
    unsigned total = 0;
    const unsigned at = before_all + sum_before(wanted ? 1 : 0, of_warps, &total);
    if (wanted && at < to.capacity) {
      to.boxes[at] = selection.every_window ? whole_box(buffers.windows[i])
                                            : clipped_box(buffers.windows[i], picture);
      to.scores[at] = buffers.scores[i];
    }
    before_all += total;
  }
  if (threadIdx.x == 0)
    *to.count = all > buffers.capacity ? to.capacity + (all - buffers.capacity) : before_all;
}

}  // namespace

void launch_listing(const ScanPlan& plan, const ScanBuffers& buffers, cuda::StreamView stream) {
  if (plan.levels.word_count == 0) return;
  const auto blocks = static_cast<unsigned>((plan.levels.word_count + kThreads - 1) / kThreads);
  list_kernel<<<blocks, kThreads, 0, stream.get()>>>(plan, buffers);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_selection(const ScanPlan& plan, const ScanBuffers& buffers, const Selection& selection,
                      const cuda::DeviceDetections& to, cuda::StreamView stream) {
  const auto score = selection.every_window ? score_kernel<true> : score_kernel<false>;
  score<<<kScoreBlocks, kThreads, 0, stream.get()>>>(buffers);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
  select_kernel<<<1, kThreads, 0, stream.get()>>>(buffers, plan.picture.upright, selection, to);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::detector::cascade
