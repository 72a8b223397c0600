// What the process asks of the system before everything else: memory, and stacks.
#pragma once

#include <functional>

namespace facepipe::app {

/// Bounds the number of heaps that glibc gives to threads. A heap keeps what its threads once
/// needed. Threads come and go with each file of a folder, so memory would grow with each file.
/// What the user has set (MALLOC_ARENA_MAX, GLIBC_TUNABLES) stays. Called before there are threads.
void bound_heaps();

/// Runs `work`, on a thread of its own if the process's stack may be too small (ulimit -s). Then
/// threads that are started from now on, also by libraries, get stacks that are large enough.
/// @param work  must not throw
/// Errors: Error(internal) if the system starts no thread.
int with_enough_stack(const std::function<int()>& work);

}  // namespace facepipe::app
