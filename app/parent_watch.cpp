#include "app/parent_watch.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <stop_token>

#include "core/threads.h"

namespace facepipe::app {
namespace {

void watch(const std::stop_token& stop, pid_t parent) {
  constexpr std::chrono::milliseconds kPace{250};
  std::mutex mutex;
  std::condition_variable_any stopping;
  std::unique_lock lock(mutex);
  // If the parent ends, the system gives the process another parent.
  while (!stop.stop_requested() && getppid() == parent)
    stopping.wait_for(lock, stop, kPace, [] { return false; });
  if (!stop.stop_requested()) kill(getpid(), SIGTERM);
}

}  // namespace

ParentWatch::ParentWatch()
    : watcher_(start_thread(
          [parent = getppid()](const std::stop_token& stop) { watch(stop, parent); })) {}

}  // namespace facepipe::app
