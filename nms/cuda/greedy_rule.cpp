// Scratch memory of the rules greedy and fast.
#include <vector_types.h>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "nms/cuda/greedy.h"
#include "nms/cuda/rule.h"

namespace facepipe::nms {
namespace {

GreedyScratch lay_out(Pieces& pieces, std::uint32_t capacity) {
  return {pieces.next<GreedyControl>(1), pieces.next<std::uint32_t>(capacity),
          pieces.next<std::uint64_t>(capacity), pieces.next<float4>(capacity),
          pieces.next<std::uint32_t>(2 * ((std::size_t{capacity} + 31) / 32))};
}

class GreedyRule : public CudaRule {
 public:
  GreedyRule(const NmsOptions& options, std::uint32_t capacity)
      : options_(options),
        plan_(plan_greedy(options, kMaxNmsCapacity)),
        memory_(greedy_scratch_bytes(capacity)) {
    Pieces pieces(memory_.data());
    scratch_ = lay_out(pieces, capacity);
    start_at_one();
  }

  void enqueue(const View& candidates, const DeviceKept& kept, cudaStream_t stream) override {
    launch_greedy(options_, plan_,
                  {candidates, scratch_, plan_.limits, options_.threshold, plan_.ticket_bits,
                   kept.indices, kept.count, kept.beyond_capacity},
                  stream);
  }

 private:
  // No launch has the tag 0, so that states of 0 are nobody's.
  void start_at_one() {
    const cuda::Stream stream;
    cuda::fill(memory_.span(), 0, stream);
    const GreedyControl control{1U << plan_.ticket_bits, 1U << plan_.ticket_bits, 0, 0};
    const std::span<const std::byte> bytes = std::as_bytes(std::span(&control, 1));
    cuda::copy(memory_.span(), bytes, stream);
    stream.synchronize();
  }

  NmsOptions options_;
  GreedyPlan plan_;
  cuda::DeviceBuffer<std::byte> memory_;
  GreedyScratch scratch_{};
};

}  // namespace

std::size_t greedy_scratch_bytes(std::uint32_t capacity) {
  Pieces pieces;
  lay_out(pieces, capacity);
  return pieces.used();
}

std::unique_ptr<CudaRule> make_greedy_rule(const NmsOptions& options, std::uint32_t capacity) {
  return std::make_unique<GreedyRule>(options, capacity);
}

}  // namespace facepipe::nms
