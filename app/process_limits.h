// What the process asks of the system before anything else: memory, and stacks.
#pragma once

#include <functional>

namespace facepipe::app {

/// Bounds the number of heaps that glibc gives to threads. Each keeps what its threads once needed,
/// so that over a folder of files, whose threads come and go, memory grew with each. What the user
/// has set (MALLOC_ARENA_MAX, GLIBC_TUNABLES) stays. Called before there are threads.
void bound_heaps();

/// Runs `work`, on a thread of its own where the process's stack may not be large enough (ulimit
/// -s), and gives threads that are started from now on, by libraries too, stacks that are.
/// @param work  must not throw
/// Errors: Error(internal) where the system starts no thread.
int with_enough_stack(const std::function<int()>& work);

}  // namespace facepipe::app
