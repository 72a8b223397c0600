// This code is in a separate file, because compilers that inline only `new` or only `delete` would
// warn about memory of malloc().
#include "tests/nms/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<int> allocations{0};
}  // namespace

// NOLINTBEGIN(cppcoreguidelines-no-malloc): these operators allocate by malloc()
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
// NOLINTEND(cppcoreguidelines-no-malloc)

int facepipe::test::allocations_so_far() { return allocations; }
