// Counts what the test program takes from the heap by operator new.
#pragma once

namespace facepipe::test {

[[nodiscard]] int allocations_so_far();

}  // namespace facepipe::test
