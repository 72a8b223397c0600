// Limits how much work is in flight at the same time, by a counted set of permits. A stop ends
// every wait.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>
#include <vector>

namespace facepipe {

/// Gives out permits that are numbered 0..count-1. Thread-safe. Permits may outlive the pool.
class PermitPool {
  struct State {
    std::mutex mutex;
    std::condition_variable_any freed;
    std::vector<int> free;
  };

 public:
  /// Holds one permit. Its destructor gives the permit back.
  class Permit {
   public:
    Permit() = default;
    Permit(std::shared_ptr<State> state, int number) : state_(std::move(state)), number_(number) {}
    ~Permit() { release(); }
    Permit(Permit&&) noexcept = default;
    // The destructor of `other` gives the old permit back.
    Permit& operator=(Permit other) noexcept {
      std::swap(state_, other.state_);
      std::swap(number_, other.number_);
      return *this;
    }

    [[nodiscard]] int number() const { return number_; }
    explicit operator bool() const { return state_ != nullptr; }
    void release() noexcept;

   private:
    std::shared_ptr<State> state_;
    int number_ = -1;
  };

  explicit PermitPool(int count);

  /// Waits for a free permit, inside a ScopedWait. Throws Stopped if `stop` is requested first.
  [[nodiscard]] Permit acquire(const std::stop_token& stop);
  /// Waits for a free permit whose number `wanted` accepts. The pool is locked while it calls
  /// `wanted`.
  [[nodiscard]] Permit acquire(const std::stop_token& stop,
                               const std::function<bool(int number)>& wanted);

 private:
  std::shared_ptr<State> state_;
};

}  // namespace facepipe
