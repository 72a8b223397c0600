// Limits which system calls this process can make, with seccomp(2).
#pragma once

#include "app/sandbox/landlock.h"

namespace facepipe::app {

/// Returns whether the kernel can refuse system calls.
[[nodiscard]] bool can_limit_calls() noexcept;

/// Says whether the process may start other processes of itself, and send them signals.
enum class Processes { none, own };

/// Says whether the process may start the driver of a GPU.
enum class Driver { none, nvidia };

/// From now on, the whole process is refused system calls that facepipe and its libraries don't
/// need, and that code of a hostile file could use: they start a program or a process, reach other
/// processes, change the system or what belongs to a file besides its content, or open a socket.
/// With a network, sockets of IP are allowed. With processes of its own, fork() and kill() are: the
/// processes that it starts can then be limited further. With a driver, sockets of this machine of
/// the type SOCK_SEQPACKET are allowed; but without a network, no socket can connect. A refused
/// call fails, as if the user had no right to it. The C library starts threads as before. Returns 0
/// or an errno; after an error, nothing is limited.
[[nodiscard]] int limit_calls(Network network, Processes processes = Processes::none,
                              Driver driver = Driver::none);

}  // namespace facepipe::app
