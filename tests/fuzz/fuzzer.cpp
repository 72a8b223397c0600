// Lets libFuzzer call one target, FACEPIPE_FUZZ_TARGET. CMake sets this macro.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  facepipe::fuzz::FACEPIPE_FUZZ_TARGET({data, size});
  return 0;
}
