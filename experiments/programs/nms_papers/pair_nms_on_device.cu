#include "experiments/programs/nms_papers/pair_nms_on_device.h"

#include <cstddef>
#include <stdexcept>

#include "core/cuda/check.h"
#include "nms/cuda/device.cuh"
#include "nms/cuda/rank.h"

namespace facepipe::nms_papers {
namespace {

constexpr unsigned kTile = 64;  // candidates in a word
constexpr unsigned kMostWords = nms::kMaxNmsCapacity / kTile;
constexpr unsigned kDecideThreads = 1024;

struct PairArguments {
  const float4* boxes;
  const std::uint64_t* keys;    ///< in rank order
  const std::uint32_t* ranked;  ///< number of keys
  std::uint64_t* mask;          ///< a row of `words` words for each ranked candidate
  std::uint32_t words;
};

__device__ __forceinline__ PairCandidate candidate_at(const PairArguments& arguments,
                                                      unsigned rank) {
  const std::uint32_t index = nms::index_of(arguments.keys[rank]);
  const Box box = nms::as_box(arguments.boxes[index]);
  return {box, nms::area(box), index};
}

/// Bit c of mask[row][word] says that candidate `row` suppresses candidate 64 * word + c, which
/// `row` outranks. Candidates are numbered in rank order. Words below the diagonal are undefined.
template <class Rule>
__global__ void __launch_bounds__(kTile)
    pair_mask_kernel(const PairArguments arguments, const Rule rule) {
  const unsigned n = *arguments.ranked;
  const unsigned first_column = kTile * blockIdx.x;
  if (blockIdx.x < blockIdx.y || first_column >= n) return;
  const unsigned columns = min(n - first_column, kTile);
  __shared__ PairCandidate tile[kTile];
  if (threadIdx.x < columns)
    tile[threadIdx.x] = candidate_at(arguments, first_column + threadIdx.x);
  __syncthreads();
  const unsigned row = kTile * blockIdx.y + threadIdx.x;
  if (row >= n) return;
  const PairCandidate winner = candidate_at(arguments, row);
  std::uint64_t word = 0;
  for (unsigned c = 0; c < columns; ++c)
    if (first_column + c > row && rule.suppresses(winner, tile[c])) word |= std::uint64_t{1} << c;
  arguments.mask[std::size_t{row} * arguments.words + blockIdx.x] = word;
}

/// The data about 64 candidates that the threads of decide_kernel share.
struct Turn {
  std::uint64_t rows[kTile];  ///< words of the mask on the diagonal
  std::uint64_t kept;
  std::uint64_t removers;
};

/// Decides the candidates of one word, one after the other.
__device__ __forceinline__ void decide_word(Turn& turn, std::uint64_t removed, unsigned count,
                                            bool by_any) {
  const std::uint64_t all = count == kTile ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  std::uint64_t kept = 0;
  for (unsigned r = 0; r < count; ++r) {
    const bool is_kept = (removed >> r & 1) == 0;
    if (is_kept) kept |= std::uint64_t{1} << r;
    if (is_kept || by_any) removed |= turn.rows[r];
  }
  turn.kept = kept;
  turn.removers = by_any ? all : kept;
}

/// Returns the bitwise or of all lanes' values, in every lane.
__device__ __forceinline__ std::uint64_t warp_or(std::uint64_t value) {
  const std::uint64_t upper = nms::warp_or(static_cast<unsigned>(value >> 32));
  return upper << 32 | nms::warp_or(static_cast<unsigned>(value));
}

/// Adds to removed[] the candidates of later words that the removers of word `b` suppress. A warp
/// processes a word.
__device__ __forceinline__ void remove_later(const PairArguments& arguments, const Turn& turn,
                                             unsigned b, unsigned words, std::uint64_t* removed) {
  for (unsigned word = b + 1 + nms::warp_id(); word < words; word += kDecideThreads / 32) {
    std::uint64_t bits = 0;
    for (unsigned r = nms::lane_id(); r < kTile; r += 32)
      if ((turn.removers >> r & 1) != 0)
        bits |= arguments.mask[std::size_t{b * kTile + r} * arguments.words + word];
    bits = warp_or(bits);
    if (nms::lane_id() == 0) removed[word] |= bits;
  }
}

/// Decides all candidates in rank order, 64 at a time, and writes the kept candidates. The grid has
/// one block.
__global__ void __launch_bounds__(kDecideThreads)
    decide_kernel(const PairArguments arguments, bool by_any, std::uint32_t* indices,
                  std::uint32_t* count) {
  __shared__ std::uint64_t removed[kMostWords];
  __shared__ Turn turn;
  const unsigned n = *arguments.ranked;
  const unsigned words = (n + kTile - 1) / kTile;
  for (unsigned w = threadIdx.x; w < words; w += kDecideThreads) removed[w] = 0;
  unsigned before = 0;
  for (unsigned b = 0; b < words; ++b) {
    const unsigned row = b * kTile + threadIdx.x;
    if (threadIdx.x < kTile && row < n)
      turn.rows[threadIdx.x] = arguments.mask[std::size_t{row} * arguments.words + b];
    __syncthreads();
    if (threadIdx.x == 0) decide_word(turn, removed[b], min(n - b * kTile, kTile), by_any);
    __syncthreads();
    const std::uint64_t kept = turn.kept;
    if (threadIdx.x < kTile && (kept >> threadIdx.x & 1) != 0) {
      const std::uint64_t better = kept & ((std::uint64_t{1} << threadIdx.x) - 1);
      indices[before + static_cast<unsigned>(__popcll(better))] =
          nms::index_of(arguments.keys[row]);
    }
    before += static_cast<unsigned>(__popcll(kept));
    remove_later(arguments, turn, b, words, removed);
    __syncthreads();
  }
  if (threadIdx.x == 0) *count = before;
}

}  // namespace

DevicePairNms::DevicePairNms(std::uint32_t capacity)
    : capacity_(capacity),
      keys_(capacity),
      ranked_(1),
      mask_(std::size_t{capacity} * ((capacity + kTile - 1) / kTile)) {
  if (capacity == 0 || capacity > nms::kMaxNmsCapacity)
    throw std::invalid_argument("capacity: must be from 1 to 65536");
}

template <class Rule>
void DevicePairNms::enqueue_rule(const Rule& rule, const nms::DeviceCandidates& candidates,
                                 const nms::DeviceKept& kept, Removers removers,
                                 cuda::StreamView stream) {
  const nms::CandidateView view{reinterpret_cast<const float4*>(candidates.boxes),
                                candidates.scores, candidates.count, capacity_};
  nms::launch_rank(view, nullptr, {nullptr, keys_.data(), ranked_.data(), kept.beyond_capacity},
                   stream.get());
  const unsigned words = (capacity_ + kTile - 1) / kTile;
  const PairArguments arguments{view.boxes, keys_.data(), ranked_.data(), mask_.data(), words};
  pair_mask_kernel<<<dim3(words, words), kTile, 0, stream.get()>>>(arguments, rule);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
  decide_kernel<<<1, kDecideThreads, 0, stream.get()>>>(arguments, removers == Removers::any,
                                                        kept.indices, kept.count);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void DevicePairNms::enqueue(const AdaptiveRule& rule, const nms::DeviceCandidates& candidates,
                            const nms::DeviceKept& kept, Removers removers,
                            cuda::StreamView stream) {
  enqueue_rule(rule, candidates, kept, removers, stream);
}

void DevicePairNms::enqueue(const FeatureRule& rule, const nms::DeviceCandidates& candidates,
                            const nms::DeviceKept& kept, Removers removers,
                            cuda::StreamView stream) {
  enqueue_rule(rule, candidates, kept, removers, stream);
}

}  // namespace facepipe::nms_papers
