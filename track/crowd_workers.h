// Divides the work of tracking among several threads if there are many faces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>

#include "core/error.h"
#include "core/machine.h"
#include "core/workers.h"

namespace facepipe::track {

/// A pool of threads, which are started when they are first needed. If the process may use only one
/// processor, or the system can't start more threads, the calling thread does all the work. Only
/// one thread may call run().
class CrowdWorkers {
 public:
  /// @param threads  the largest number of threads, including the calling thread
  explicit CrowdWorkers(int threads) : threads_(std::min(threads, usable_processors())) {}

  /// Calls part(0), ..., part(parts - 1), like Workers::run(). Uses other threads only if `crowd`.
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
