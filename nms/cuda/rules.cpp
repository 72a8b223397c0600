// Scratch memory of each rule, and what it enqueues.
#include <vector_types.h>

#include <stdexcept>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "nms/cuda/greedy/greedy.h"
#include "nms/cuda/matrix.h"
#include "nms/cuda/rank.h"
#include "nms/cuda/rule.h"
#include "nms/cuda/soft.h"
#include "nms/cuda/voting.h"

namespace facepipe::nms {
namespace {

struct Scratch {
  GreedyScratch greedy{};          // greedy, fast; soft has its control
  std::uint64_t* words = nullptr;  // soft
  MatrixScratch matrix{};
  VotingScratch voting{};
};

Scratch lay_out(Pieces& pieces, const NmsOptions& options, std::uint32_t capacity) {
  Scratch scratch;
  const bool waits = options.rule != NmsRule::matrix;
  if (waits) scratch.greedy.control = pieces.next<GreedyControl>(1);
  if (options.rule == NmsRule::greedy || options.rule == NmsRule::fast) {
    scratch.greedy.states = pieces.next<std::uint32_t>(capacity);
    scratch.greedy.sorted_keys = pieces.next<std::uint64_t>(capacity);
    scratch.greedy.sorted_boxes = pieces.next<float4>(capacity);
    scratch.greedy.alive = pieces.next<std::uint32_t>(2 * ((std::size_t{capacity} + 31) / 32));
  }
  if (options.rule == NmsRule::soft) scratch.words = pieces.next<std::uint64_t>(capacity);
  if (options.rule == NmsRule::matrix) {
    const std::uint32_t side = options.matrix.d_max;
    scratch.matrix = {pieces.next<std::uint8_t>(side * matrix_stride(side)),
                      pieces.next<std::uint8_t>(side)};
  }
  if (options.voting)
    scratch.voting = {pieces.next<std::uint64_t>(capacity), pieces.next<std::uint32_t>(1),
                      pieces.next<std::uint32_t>(capacity), pieces.next<std::uint32_t>(capacity)};
  return scratch;
}

/// Memory and options of whatever rule.
class RuleBase : public CudaRule {
 public:
  RuleBase(const NmsOptions& options, std::uint32_t capacity)
      : options_(options), memory_(rule_scratch_bytes(options, capacity)) {
    Pieces pieces(memory_.data());
    scratch_ = lay_out(pieces, options, capacity);
  }

 protected:
  /// Zeroes the memory. No launch has the tag 0, so that states of 0 are nobody's.
  void start_at_one(std::uint32_t ticket_bits) {
    const cuda::Stream stream;
    cuda::fill(memory_.span(), 0, stream);
    const GreedyControl control{1U << ticket_bits, 0, 0, 0, 0};
    cuda::copy(memory_.span(), std::as_bytes(std::span(&control, 1)), stream);
    stream.synchronize();
  }
  void vote(const View& candidates, const DeviceKept& kept, cudaStream_t stream) {
    if (!options_.voting) return;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): four floats either way
    auto* const moved = reinterpret_cast<float4*>(kept.boxes);
    launch_voting(options_, candidates, kept.indices, kept.count, scratch_.voting, moved, stream);
  }

  NmsOptions options_;
  cuda::DeviceBuffer<std::byte> memory_;
  Scratch scratch_;
};

class GreedyRule : public RuleBase {
 public:
  GreedyRule(const NmsOptions& options, std::uint32_t capacity, std::uint32_t multiprocessors)
      : RuleBase(options, capacity), plan_(plan_greedy(options, kMaxNmsCapacity, multiprocessors)) {
    start_at_one(plan_.ticket_bits);
  }
  void enqueue(const View& candidates, const DeviceKept& kept, cudaStream_t stream) override {
    launch_greedy(options_, plan_,
                  {candidates, scratch_.greedy, plan_.limits, options_.threshold, plan_.ticket_bits,
                   kept.indices, kept.count, kept.beyond_capacity},
                  stream);
    vote(candidates, kept, stream);
  }

 private:
  GreedyPlan plan_;
};

class MatrixRule : public RuleBase {
 public:
  MatrixRule(const NmsOptions& options, std::uint32_t capacity, std::uint32_t multiprocessors)
      : RuleBase(options, capacity), multiprocessors_(multiprocessors) {}
  void enqueue(const View& candidates, const DeviceKept& kept, cudaStream_t stream) override {
    enqueue_map(candidates, stream);
    enqueue_reduce(candidates, stream);
    launch_rank(candidates, scratch_.matrix.survives,
                {kept.indices, nullptr, kept.count, kept.beyond_capacity}, stream);
    vote(candidates, kept, stream);
  }
  void enqueue_map(const View& candidates, cudaStream_t stream) override {
    launch_matrix_map(options_, candidates, scratch_.matrix, multiprocessors_, stream);
  }
  void enqueue_reduce(const View& candidates, cudaStream_t stream) override {
    launch_matrix_reduce(options_, candidates, scratch_.matrix, multiprocessors_, stream);
  }

 private:
  std::uint32_t multiprocessors_;
};

class SoftRule : public RuleBase {
 public:
  SoftRule(const NmsOptions& options, std::uint32_t capacity, std::uint32_t multiprocessors)
      : RuleBase(options, capacity), plan_(plan_soft(options, capacity, multiprocessors)) {
    start_at_one(plan_.ticket_bits);
  }
  void enqueue(const View& candidates, const DeviceKept& kept, cudaStream_t stream) override {
    const SoftOptions& soft = options_.soft;
    launch_soft(options_, plan_,
                {candidates, scratch_.greedy.control, scratch_.words, options_.threshold,
                 soft.sigma, soft.min_score, plan_.ticket_bits, plan_.list_bytes, kept.indices,
                 kept.scores, kept.count, kept.beyond_capacity},
                stream);
  }

 private:
  SoftPlan plan_;
};

}  // namespace

void CudaRule::enqueue_map(const View&, cudaStream_t) {
  throw std::invalid_argument("enqueue_map: only with the rule matrix");
}
void CudaRule::enqueue_reduce(const View&, cudaStream_t) {
  throw std::invalid_argument("enqueue_reduce: only with the rule matrix");
}

std::unique_ptr<CudaRule> make_rule(const NmsOptions& options, std::uint32_t capacity,
                                    std::uint32_t multiprocessors) {
  switch (options.rule) {
    case NmsRule::greedy:
    case NmsRule::fast:
      return std::make_unique<GreedyRule>(options, capacity, multiprocessors);
    case NmsRule::matrix:
      return std::make_unique<MatrixRule>(options, capacity, multiprocessors);
    case NmsRule::soft:
      return std::make_unique<SoftRule>(options, capacity, multiprocessors);
  }
  throw std::logic_error("a rule without a kernel");
}

std::size_t rule_scratch_bytes(const NmsOptions& options, std::uint32_t capacity) {
  Pieces pieces;
  lay_out(pieces, options, capacity);
  return pieces.used();
}

}  // namespace facepipe::nms
