// Defines the scratch memory of each rule, and the kernels that it enqueues.
#include <vector_types.h>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "core/error.h"
#include "nms/arena.h"
#include "nms/cuda/greedy/greedy.h"
#include "nms/cuda/groups.h"
#include "nms/cuda/matrix.h"
#include "nms/cuda/rank.h"
#include "nms/cuda/rule.h"
#include "nms/cuda/soft.h"
#include "nms/cuda/voting.h"

namespace facepipe::nms {
namespace {

constexpr std::size_t kDeviceAlignment = 256;

struct Scratch {
  GreedyScratch greedy{};          // for `greedy` and `fast`; `soft` uses its control
  std::uint64_t* words = nullptr;  // for `soft`
  MatrixScratch matrix{};
  VotingScratch voting{};
  GroupsScratch groups{};
};

Scratch lay_out(Arena& arena, const NmsOptions& options, std::uint32_t capacity) {
  Scratch scratch;
  const bool blocks_wait = options.rule != NmsRule::matrix && options.rule != NmsRule::groups;
  if (blocks_wait) scratch.greedy.control = arena.take<GreedyControl>(1);
  if (options.rule == NmsRule::greedy || options.rule == NmsRule::fast) {
    scratch.greedy.states = arena.take<std::uint32_t>(capacity);
    scratch.greedy.ranked_keys = arena.take<std::uint64_t>(capacity);
    scratch.greedy.ranked_boxes = arena.take<float4>(capacity);
    scratch.greedy.remaining = arena.take<std::uint32_t>(2 * ((std::size_t{capacity} + 31) / 32));
  }
  if (options.rule == NmsRule::soft) scratch.words = arena.take<std::uint64_t>(capacity);
  if (options.rule == NmsRule::matrix) {
    const std::uint32_t side = options.matrix.d_max;
    scratch.matrix = {arena.take<std::uint8_t>(side * matrix_stride(side)),
                      arena.take<std::uint8_t>(side)};
  }
  if (options.rule == NmsRule::groups)
    scratch.groups = {arena.take<WholeBox>(capacity),      arena.take<std::uint32_t>(capacity),
                      arena.take<GroupSums>(capacity),     arena.take<std::uint32_t>(capacity),
                      arena.take<std::uint32_t>(capacity), arena.take<WholeBox>(capacity),
                      arena.take<std::uint64_t>(capacity), arena.take<std::uint32_t>(1)};
  if (options.voting)
    scratch.voting = {arena.take<std::uint64_t>(capacity), arena.take<std::uint32_t>(1),
                      arena.take<std::uint32_t>(capacity), arena.take<std::uint32_t>(capacity)};
  return scratch;
}

/// Holds what all rules have: options and scratch memory.
class RuleBase : public CudaRule {
 public:
  RuleBase(const NmsOptions& options, std::uint32_t capacity)
      : options_(options), memory_(rule_scratch_bytes(options, capacity)) {
    Arena arena(memory_.data(), kDeviceAlignment);
    scratch_ = lay_out(arena, options, capacity);
  }

 protected:
  /// Fills the memory with 0. The first launch gets the tag 1, so words of 0 belong to no launch.
  void reset_control(std::uint32_t phase_bits) {
    const cuda::Stream stream;
    cuda::fill(memory_.span(), 0, stream);
    const GreedyControl control{1U << phase_bits, 0, 0, 0, 0};
    cuda::copy(memory_.span(), std::as_bytes(std::span(&control, 1)), stream);
    stream.synchronize();
  }
  void vote(const CandidateView& candidates, const DeviceKept& kept, cudaStream_t stream) {
    if (!options_.voting) return;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): both are four floats
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
    reset_control(plan_.phase_bits);
  }
  void enqueue(const CandidateView& candidates, const DeviceKept& kept,
               cudaStream_t stream) override {
    launch_greedy(options_, plan_,
                  {candidates, scratch_.greedy, plan_.limits, options_.threshold, plan_.phase_bits,
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
  void enqueue(const CandidateView& candidates, const DeviceKept& kept,
               cudaStream_t stream) override {
    enqueue_map(candidates, stream);
    enqueue_reduce(candidates, stream);
    launch_rank(candidates, scratch_.matrix.survives,
                {kept.indices, nullptr, kept.count, kept.beyond_capacity}, stream);
    vote(candidates, kept, stream);
  }
  void enqueue_map(const CandidateView& candidates, cudaStream_t stream) override {
    launch_matrix_map(options_, candidates, scratch_.matrix, multiprocessors_, stream);
  }
  void enqueue_reduce(const CandidateView& candidates, cudaStream_t stream) override {
    launch_matrix_reduce(options_, candidates, scratch_.matrix, stream);
  }

 private:
  std::uint32_t multiprocessors_;
};

class SoftRule : public RuleBase {
 public:
  SoftRule(const NmsOptions& options, std::uint32_t capacity, std::uint32_t multiprocessors)
      : RuleBase(options, capacity), plan_(plan_soft(options, capacity, multiprocessors)) {
    reset_control(plan_.phase_bits);
  }
  void enqueue(const CandidateView& candidates, const DeviceKept& kept,
               cudaStream_t stream) override {
    const SoftOptions& soft = options_.soft;
    launch_soft(options_, plan_,
                {candidates, scratch_.greedy.control, scratch_.words, options_.threshold,
                 soft.sigma, soft.min_score, plan_.phase_bits, plan_.list_bytes, kept.indices,
                 kept.scores, kept.count, kept.beyond_capacity},
                stream);
  }

 private:
  SoftPlan plan_;
};

class GroupsRule : public RuleBase {
 public:
  GroupsRule(const NmsOptions& options, std::uint32_t capacity, std::uint32_t multiprocessors)
      : RuleBase(options, capacity), multiprocessors_(multiprocessors) {}
  void enqueue(const CandidateView& candidates, const DeviceKept& kept,
               cudaStream_t stream) override {
    launch_groups(candidates, options_.groups.min_neighbours, scratch_.groups, multiprocessors_,
                  kept, stream);
  }

 private:
  std::uint32_t multiprocessors_;
};

}  // namespace

void CudaRule::enqueue_map(const CandidateView&, cudaStream_t) {
  throw Error(ErrorKind::internal, "enqueue_map: works only with rule 'matrix'");
}
void CudaRule::enqueue_reduce(const CandidateView&, cudaStream_t) {
  throw Error(ErrorKind::internal, "enqueue_reduce: works only with rule 'matrix'");
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
    case NmsRule::groups:
      return std::make_unique<GroupsRule>(options, capacity, multiprocessors);
  }
  throw Error(ErrorKind::internal, "NMS: no kernel computes this rule");
}

std::size_t rule_scratch_bytes(const NmsOptions& options, std::uint32_t capacity) {
  Arena arena(nullptr, kDeviceAlignment);
  lay_out(arena, options, capacity);
  return arena.used();
}

}  // namespace facepipe::nms
