#include "pipeline/cuda/kept_graphs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/cuda/check.h"
#include "core/error.h"

namespace facepipe::pipeline {
namespace {

constexpr std::int64_t kShareOfMemory = 4;  // sets may take 1 / kShareOfMemory of the memory
constexpr std::size_t kAnyCount = std::numeric_limits<std::size_t>::max();

struct Memory {
  std::int64_t free = 0;
  std::int64_t all = 0;
};

Memory device_memory() {
  std::size_t free = 0;
  std::size_t all = 0;
  FACEPIPE_CUDA_CHECK(cudaMemGetInfo(&free, &all));
  return {static_cast<std::int64_t>(free), static_cast<std::int64_t>(all)};
}

}  // namespace

std::shared_ptr<GraphSet> KeptGraphs::get(const GraphKey& key, const Make& make) {
  if (const auto* const known = kept_.find(key)) return *known;
  const Memory before = device_memory();
  std::shared_ptr<GraphSet> made;
  try {
    made = make();
  } catch (const Error&) {
    if (kept_.size() == 0) throw;
    kept_.keep_at_most(0, 0);  // there may not have been enough memory
    made = make();
  }
  // The decrease of free memory. It may include memory of other programs, which does no harm.
  const std::int64_t bytes = std::max<std::int64_t>(0, before.free - device_memory().free);
  kept_.keep_at_most(kAnyCount, before.all / kShareOfMemory - bytes);
  kept_.add(key, made, bytes);
  return made;
}

}  // namespace facepipe::pipeline
