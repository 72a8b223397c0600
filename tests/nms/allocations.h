// Counts the test program's heap allocations by operator new.
#pragma once

namespace facepipe::test {

[[nodiscard]] int allocations_so_far();

}  // namespace facepipe::test
