// Limits which system calls this process can make, with seccomp(2).
#pragma once

#include "app/sandbox/landlock.h"

namespace facepipe::app {

/// Returns whether the kernel can refuse system calls.
[[nodiscard]] bool can_limit_calls() noexcept;

/// From now on, the whole process is refused system calls that facepipe and its libraries don't
/// need, and that code of a hostile file could use: they start a program or a process, reach other
/// processes, change the system or what belongs to a file besides its content, or open a socket.
/// With a network, sockets of IP are allowed. A refused call fails, as if the user had no right to
/// it. The C library starts threads as before.
/// Returns 0 or an errno; after an error, nothing is limited.
[[nodiscard]] int limit_calls(Network network);

}  // namespace facepipe::app
