#include "app/process_setup.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "app/failure.h"
#include "app/process_limits.h"
#include "app/standard_streams.h"
#include "core/files/output_file.h"

namespace facepipe::app {
namespace {

/// Installs the handlers before the program's static objects are made, which allocate memory. (The
/// compiler gives programs the priorities from 101 on.)
[[gnu::constructor(101)]] void begin() { install_last_resort(); }

std::atomic<bool> skips_static_destructors = false;

}  // namespace

void set_up_process() {
  at_terminate(remove_unfinished_outputs);
  bound_heaps();  // allocates memory, but starts no thread
  open_closed_streams();
  // If nobody reads a pipe any longer, the run must still finish its other files. If a file has
  // reached the limit of its size, this is an error of writing the file.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void set_up_libraries() {
  quiet_libraries();
  start_log();
}

void skip_static_destructors() {
  // CUDA loads the tool that this variable names.
  const char* const tool = std::getenv("CUDA_INJECTION64_PATH");  // NOLINT(concurrency-mt-unsafe)
  skips_static_destructors = tool == nullptr;
}

int end_process(int code) {
  if (!skips_static_destructors) return code;
  std::fflush(nullptr);
  _exit(code);
}

}  // namespace facepipe::app
