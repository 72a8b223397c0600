// Ends the program when the program that started it has ended (--die-with-parent).
#pragma once

#include <sys/types.h>

#include <thread>

namespace facepipe::app {

/// While this object exists, the process gets SIGTERM within a second after its parent process has
/// ended. The system's own call for this (PR_SET_PDEATHSIG) watches the thread that started the
/// process, which may end earlier than its process.
class ParentWatch {
 public:
  /// Errors: Error(internal) if the system can't start a thread.
  ParentWatch();
  ParentWatch(const ParentWatch&) = delete;
  ParentWatch& operator=(const ParentWatch&) = delete;

 private:
  std::jthread watcher_;
};

}  // namespace facepipe::app
