// Several threads share the work of tracking on each face of a crowd.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>

#include "core/error.h"
#include "core/workers.h"

namespace facepipe::track {

/// Starts the threads with the first crowd. If there is only one processor, or the system can't
/// start more threads, the caller does all the work. Only one thread uses it.
class CrowdWorkers {
 public:
  /// @param threads  the most threads, the caller included
  explicit CrowdWorkers(unsigned threads)
      : threads_(static_cast<int>(std::min(threads, std::thread::hardware_concurrency()))) {}

  /// Runs parts as Workers::run() does. Other threads take part only if there is a crowd.
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
