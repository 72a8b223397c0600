#include "app/process_setup.h"

#include <csignal>

#include "app/failure.h"
#include "app/process_limits.h"
#include "app/standard_streams.h"
#include "core/files/output_file.h"

namespace facepipe::app {

void set_up_process() {
  bound_heaps();
  install_last_resort();
  at_terminate(remove_unfinished_outputs);
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

}  // namespace facepipe::app
