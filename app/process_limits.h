// Sets the limits of the process before everything else: heaps and stacks.
#pragma once

#include <functional>

namespace facepipe::app {

/// Limits the number of heaps that glibc gives to threads. A heap keeps the memory that its threads
/// once needed. Each file of a folder starts new threads, so without a limit, memory would grow
/// with each file. If the user has set MALLOC_ARENA_MAX, or arena_max in GLIBC_TUNABLES, the user's
/// limit stays unchanged. Must be called before there are threads.
void bound_heaps();

/// Runs `work`. If the process's stack may be too small (ulimit -s), runs it on its own thread.
/// Then all threads that are started later, also by libraries, get stacks that are large enough.
/// @param work  must not throw
/// Throws Error(internal) if the system can't start a thread.
int with_enough_stack(const std::function<int()>& work);

}  // namespace facepipe::app
