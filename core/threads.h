// How a thread is started: the one place that knows what the system says when it has none left.
#pragma once

#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "core/error.h"

namespace facepipe {

/// A thread that runs `body`, which std::jthread must take.
/// Errors: Error(internal) where the system starts no more of them.
template <class Body>
[[nodiscard]] std::jthread start_thread(Body&& body) {
  try {
    return std::jthread(std::forward<Body>(body));
  } catch (const std::system_error& error) {
    throw Error(ErrorKind::internal, "can't start a thread: " + error.code().message());
  }
}

/// Starts `count` threads at once, and ends them: for libraries that hang or abort where the system
/// has too few. Errors: as start_thread().
void expect_threads(int count);

}  // namespace facepipe
