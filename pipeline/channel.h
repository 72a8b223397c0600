// A bounded queue between two stages that can be closed by its producers and aborted by anyone.
#pragma once

#include <oneapi/tbb/concurrent_queue.h>

#include <atomic>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/timing.h"

namespace facepipe {

/// Something that wakes its waiters with Stopped.
class Abortable {
 public:
  virtual ~Abortable() = default;
  virtual void abort() = 0;
};

/// Order is kept for each producer. push() waits while `capacity` items are queued.
/// After abort(), push() and pop() throw Stopped. Both are a ScopedWait of their thread.
template <typename T>
class Channel final : public Abortable {
 public:
  /// @param producers how many times close() is called before the channel counts as ended
  explicit Channel(int capacity, int producers = 1) : open_producers_(producers) {
    queue_.set_capacity(capacity);
  }

  void push(T item) { enqueue(std::optional<T>(std::move(item))); }

  /// One producer has nothing more to say.
  void close() { enqueue(std::nullopt); }

  /// The next item; nullopt once every producer has closed. For one consumer.
  std::optional<T> pop() {
    while (open_producers_ > 0) {
      std::optional<T> item;
      dequeue(item);
      if (item) return item;
      --open_producers_;
    }
    return std::nullopt;
  }

  void abort() override {
    aborted_ = true;
    queue_.abort();
  }

 private:
  void enqueue(std::optional<T> item) {
    const ScopedWait waiting;
    throw_if_aborted();
    try {
      queue_.push(std::move(item));
    } catch (const tbb::user_abort&) {
      throw Stopped();
    }
  }

  void dequeue(std::optional<T>& item) {
    const ScopedWait waiting;
    throw_if_aborted();
    try {
      queue_.pop(item);
    } catch (const tbb::user_abort&) {
      throw Stopped();
    }
  }

  void throw_if_aborted() const {
    if (aborted_) throw Stopped();
  }

  tbb::concurrent_bounded_queue<std::optional<T>> queue_;
  std::atomic<bool> aborted_ = false;
  int open_producers_;  // the consumer's alone
};

}  // namespace facepipe
