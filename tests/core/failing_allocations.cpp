#include "tests/core/failing_allocations.h"

#include <cstdlib>
#include <new>

namespace {

constexpr long kAll = -1;
thread_local long g_successes_left = kAll;

}  // namespace

// NOLINTBEGIN(cppcoreguidelines-no-malloc): `new` is implemented by functions of the C library.
void* operator new(std::size_t size) {
  if (g_successes_left == 0) throw std::bad_alloc();
  if (g_successes_left > 0) --g_successes_left;
  void* const memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
// NOLINTEND(cppcoreguidelines-no-malloc)

namespace facepipe::test {

FailingAllocations::FailingAllocations(long successes) { g_successes_left = successes; }
FailingAllocations::~FailingAllocations() { g_successes_left = kAll; }

}  // namespace facepipe::test
