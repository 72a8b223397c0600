#include "video/cuda/kept_decoders.h"

#include <algorithm>

#include "core/cuda/check.h"

namespace facepipe::video {
namespace {

constexpr std::int64_t kShareOfMemory = 4;  // the kept decoders may use 1/4 of the memory

struct Memory {
  std::size_t free = 0;
  std::size_t all = 0;
};

Memory device_memory() {
  Memory memory;
  FACEPIPE_CUDA_CHECK(cudaMemGetInfo(&memory.free, &memory.all));
  return memory;
}

/// Returns the most bytes that a decoder can take. NVDEC has up to 32 surfaces, twice, of 4:2:0
/// with up to two bytes a sample.
std::int64_t bytes_of(const DecoderKind& kind) {
  constexpr std::int64_t kSurfaces = 2 * 32;
  return std::int64_t{kind.size.width} * kind.size.height * 3 * kSurfaces;
}

}  // namespace

std::optional<IdleDecoder> KeptDecoders::take(const DecoderKind& kind) {
  // `ended` is declared before the lock, so that its decoders are destroyed after unlocking.
  std::deque<Kept> ended;
  const std::scoped_lock lock(mutex_);
  const auto known = std::ranges::find(kept_, kind, &Kept::first);
  if (known != kept_.end()) {
    IdleDecoder taken = std::move(known->second);
    kept_.erase(known);
    return taken;
  }
  if (!kept_.empty() && static_cast<std::int64_t>(device_memory().free) < 2 * bytes_of(kind))
    ended = std::exchange(kept_, {});
  return std::nullopt;
}

void KeptDecoders::give_back(DecoderKind kind, IdleDecoder decoder) {
  const std::int64_t most = static_cast<std::int64_t>(device_memory().all) / kShareOfMemory;
  std::deque<Kept> ended;
  const std::scoped_lock lock(mutex_);
  kept_.emplace_front(std::move(kind), std::move(decoder));
  std::int64_t bytes = 0;
  for (const Kept& kept : kept_) bytes += bytes_of(kept.first);
  for (; bytes > most; kept_.pop_back()) {
    bytes -= bytes_of(kept_.back().first);
    ended.push_back(std::move(kept_.back()));
  }
}

}  // namespace facepipe::video
