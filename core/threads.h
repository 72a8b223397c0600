// Starts threads, and turns the system's refusal to start one into an Error.
#pragma once

#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "core/passing_error.h"

namespace facepipe {

/// Starts a thread that runs `body`, which std::jthread must accept. Errors: Error(internal) if the
/// system can't start another thread; it is a PassingError.
template <class Body>
[[nodiscard]] std::jthread start_thread(Body&& body) {
  try {
    return std::jthread(std::forward<Body>(body));
  } catch (const std::system_error& error) {
    throw PassingError(ErrorKind::internal, "can't start a thread: " + error.code().message());
  }
}

/// Tests that the system can run `count` threads at the same time, then ends them. Call this before
/// you use libraries that hang or abort if the system has too few threads. Errors: as
/// start_thread().
void expect_threads(int count);

}  // namespace facepipe
