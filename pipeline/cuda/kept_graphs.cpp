#include "pipeline/cuda/kept_graphs.h"

#include <algorithm>
#include <utility>

#include "core/cuda/check.h"
#include "core/error.h"

namespace facepipe {
namespace {

constexpr std::size_t kShareOfMemory = 4;  // one of so many parts

struct Memory {
  std::size_t free = 0;
  std::size_t all = 0;
};

Memory device_memory() {
  Memory memory;
  FACEPIPE_CUDA_CHECK(cudaMemGetInfo(&memory.free, &memory.all));
  return memory;
}

}  // namespace

std::shared_ptr<GraphSet> KeptGraphs::get(const GraphKey& key, const Make& make) {
  const auto known = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const Entry& entry) { return entry.key == key; });
  if (known != kept_.end())
    kept_.splice(kept_.begin(), kept_, known);
  else
    kept_.push_front(make_entry(key, make));
  std::shared_ptr<GraphSet> set = kept_.front().set;
  let_go(most_bytes_);
  return set;
}

/// Its memory is what the device has less of; other programs' share of that is no harm.
KeptGraphs::Entry KeptGraphs::make_entry(const GraphKey& key, const Make& make) {
  const Memory memory = device_memory();
  most_bytes_ = memory.all / kShareOfMemory;
  std::shared_ptr<GraphSet> set;
  try {
    set = make();
  } catch (const Error&) {
    if (kept_.empty()) throw;
    let_go(0);  // it may have been the memory
    set = make();
  }
  const std::size_t after = device_memory().free;
  return {key, std::move(set), memory.free > after ? memory.free - after : 0};
}

/// Until the rest takes no more than `bytes`, or all of it is in use.
void KeptGraphs::let_go(std::size_t bytes) {
  std::size_t all = 0;
  for (const Entry& entry : kept_) all += entry.bytes;
  for (auto entry = kept_.end(); entry != kept_.begin() && all > bytes;) {
    --entry;
    if (entry->set.use_count() > 1) continue;
    all -= entry->bytes;
    entry = kept_.erase(entry);
  }
}

}  // namespace facepipe
