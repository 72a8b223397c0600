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
  // A reader that went away must not end a run that still has files to finish, and a file that may
  // grow no more is an error of writing it.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void set_up_libraries() {
  quiet_libraries();
  start_log();
}

}  // namespace facepipe::app
