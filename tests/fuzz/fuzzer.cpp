// Lets libFuzzer call one target, FACEPIPE_FUZZ_TARGET. CMake sets this macro.
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>

#include "tests/fuzz/targets.h"

namespace {

/// Ends the program with a signal, so that libFuzzer keeps the input.
[[noreturn]] void crash(const char* reason) {
  std::cerr << reason << '\n';
  std::abort();
}

}  // namespace

/// libFuzzer calls this function before it installs its handlers. It leaves out signals that have a
/// handler already, and facepipe's own handlers (app/failure.cpp) would lose the input.
extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** /*arguments*/) {
  std::signal(SIGABRT, SIG_DFL);
  return 0;
}

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
