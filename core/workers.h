// Shares one piece of work among several threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace facepipe {

/// Holds a pool of threads, which start once. Thread-safe: if several threads call run(), the calls
/// are served one after the other.
class Workers {
 public:
  /// Starts `threads` - 1 threads, because the caller of run() works too. `threads` >= 1. Errors:
  /// as start_thread().
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  [[nodiscard]] int threads() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls part(i, thread) for each i of 0..parts-1, and returns when all calls have returned. The
  /// calls start in the order of i and run on all threads at the same time. The caller of run() is
  /// thread 0 and makes the first call. After an exception no further call starts, and run() throws
  /// the first exception.
  void run(std::size_t parts, const std::function<void(std::size_t, int)>& part);

 private:
  void serve(const std::stop_token& stop, int thread);
  void take_parts(std::unique_lock<std::mutex>& lock, int thread);

  std::mutex one_at_a_time_;
  std::mutex mutex_;  // guards all members below, except threads_
  std::condition_variable_any begun_;
  std::condition_variable ended_;
  const std::function<void(std::size_t, int)>* part_ = nullptr;
  std::size_t next_ = 0;
  std::size_t parts_ = 0;
  std::size_t busy_ = 0;  // parts that are running now
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;  // the last member, so that the threads are joined first
};

}  // namespace facepipe
