// Lets libFuzzer call one target, FACEPIPE_FUZZ_TARGET. CMake sets this macro.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>

#include "tests/fuzz/targets.h"

namespace {

/// Ends the program with a signal, so that libFuzzer keeps the input. facepipe's own handlers would
/// end it with an exit code instead, and take abort() for one of their own cases.
[[noreturn]] void crash(const char* reason) {
  std::cerr << reason << '\n';
  __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    facepipe::fuzz::FACEPIPE_FUZZ_TARGET({data, size});
  } catch (const std::exception& error) {
    crash(error.what());
  } catch (...) {
    crash("the target threw something that is no std::exception");
  }
  return 0;
}
