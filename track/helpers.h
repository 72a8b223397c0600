// Threads that share what tracking does for each face of a crowd.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>

#include "core/error.h"
#include "core/workers.h"

namespace facepipe::track {

/// They are started with the first crowd. Where there is one processor, or the system starts no
/// more threads, the caller does all. Used by one thread.
class Helpers {
 public:
  /// @param threads  at most, the caller included
  explicit Helpers(unsigned threads)
      : threads_(static_cast<int>(std::min(threads, std::thread::hardware_concurrency()))) {}

  /// As Workers::run(); other threads take part in a crowd only.
  void run(bool crowd, std::size_t parts, const std::function<void(std::size_t)>& part) {
    if (crowd && have_workers())
      workers_->run(parts, [&](std::size_t i, int /*thread*/) { part(i); });
    else
      for (std::size_t i = 0; i < parts; ++i) part(i);
  }

 private:
  bool have_workers() {
    if (workers_) return true;
    if (threads_ <= 1) return false;
    try {
      workers_ = std::make_unique<Workers>(threads_);
    } catch (const Error&) {
      threads_ = 1;
    }
    return workers_ != nullptr;
  }

  int threads_;
  std::unique_ptr<Workers> workers_;
};

}  // namespace facepipe::track
