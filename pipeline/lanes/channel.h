// Declares Channel, a bounded queue between threads that its producers can close.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "core/error.h"
#include "core/timing.h"

namespace facepipe::pipeline {

/// Waits until `fulfilled()` returns true. Call it with `lock` held. Other threads notify `changed`
/// when the answer may have changed. Throws Stopped once `stop` is requested.
template <typename Condition>
void wait_unless_stopped(std::unique_lock<std::mutex>& lock, std::condition_variable_any& changed,
                         const std::stop_token& stop, Condition fulfilled) {
  if (stop.stop_requested()) throw Stopped();
  if (fulfilled()) return;
  changed.wait(lock, stop, fulfilled);
  if (stop.stop_requested()) throw Stopped();
}

/// A queue that keeps the order of each producer's items. push() waits while the costs of the
/// queued items add up to `capacity` or more. Once `stop` is requested, push() and pop() throw
/// Stopped, even if they are waiting. The time in push() and pop() counts as a ScopedWait of the
/// calling thread. Its eight members are the queue, its limits and its lock.
template <typename T>
class Channel {
 public:
  /// @param producers  number of producers; the channel ends when each has called close()
  Channel(std::int64_t capacity, std::stop_token stop, int producers = 1)
      : capacity_(capacity), stop_(std::move(stop)), open_producers_(producers) {}

  /// Adds an item.
  /// @param cost  1 if `capacity` is a number of items; the item's bytes if `capacity` is a number
  ///              of bytes
  void push(T item, std::int64_t cost = 1) {
    const ScopedWait waiting;
    {
      std::unique_lock lock(mutex_);
      wait_unless_stopped(lock, room_, stop_, [this] { return cost_ < capacity_; });
      items_.push_back({std::move(item), cost});
      cost_ += cost;
    }
    filled_.notify_one();
  }

  /// A producer calls this once, after its last push(). Never waits.
  void close() {
    {
      const std::scoped_lock lock(mutex_);
      --open_producers_;
    }
    filled_.notify_all();
  }

  /// Waits for the next item and returns it; nullopt if the channel has ended and is empty.
  [[nodiscard]] std::optional<T> pop() { return pop(stop_); }

  /// Like pop(), but `stop` ends the wait instead of the constructor's stop token.
  [[nodiscard]] std::optional<T> pop(const std::stop_token& stop) {
    const ScopedWait waiting;
    std::unique_lock lock(mutex_);
    wait_unless_stopped(lock, filled_, stop,
                        [this] { return !items_.empty() || open_producers_ <= 0; });
    return take(lock);
  }

  /// Like pop(), but also returns nullopt if there is no item after `patience`.
  [[nodiscard]] std::optional<T> pop_within(Clock::duration patience) {
    const ScopedWait waiting;
    std::unique_lock lock(mutex_);
    filled_.wait_for(lock, stop_, patience,
                     [this] { return !items_.empty() || open_producers_ <= 0; });
    if (stop_.stop_requested()) throw Stopped();
    return take(lock);
  }

 private:
  std::optional<T> take(std::unique_lock<std::mutex>& lock) {
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front().item));
    cost_ -= items_.front().cost;
    items_.pop_front();
    lock.unlock();
    room_.notify_one();
    return item;
  }

  struct Queued {
    T item;
    std::int64_t cost;
  };

  const std::int64_t capacity_;
  const std::stop_token stop_;
  std::mutex mutex_;
  std::condition_variable_any room_;
  std::condition_variable_any filled_;
  std::deque<Queued> items_;
  std::int64_t cost_ = 0;
  int open_producers_;
};

}  // namespace facepipe::pipeline
