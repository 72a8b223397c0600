#include "app/process_limits.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "core/machine.h"
#include "core/threads.h"

namespace facepipe::app {
namespace {

// This is Linux's default for a process. Libraries rely on it: libx265 and OpenVINO need megabytes.
constexpr std::size_t kStackBytes = std::size_t{8} << 20U;

bool names_arenas(const char* tunables) {
  return tunables != nullptr &&
         std::string_view(tunables).find("glibc.malloc.arena_max") != std::string_view::npos;
}

bool has_small_stack() {
  rlimit limit{};
  return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         limit.rlim_cur < kStackBytes;
}

}  // namespace

void bound_heaps() {
#ifdef M_ARENA_MAX
  if (std::getenv("MALLOC_ARENA_MAX") != nullptr || names_arenas(std::getenv("GLIBC_TUNABLES")))
    return;
  // glibc's own limit is eight for each core. Our limit is low enough that heaps keep little
  // memory, and high enough that threads seldom wait for each other.
  mallopt(M_ARENA_MAX, std::clamp(usable_processors() / 4, 2, 8));
#endif
}

int with_enough_stack(const std::function<int()>& work) {
  if (!has_small_stack()) return work();
  pthread_attr_t attributes{};
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  // Threads of std::thread and of libraries get this stack size, instead of the size that ulimit
  // sets.
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  int answer = 0;
  start_thread([&] { answer = work(); }).join();
  return answer;
}

}  // namespace facepipe::app
