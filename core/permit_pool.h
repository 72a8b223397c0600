// A counted set of permits bounds how much is in flight, and no thread waits for ever.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>
#include <vector>

namespace facepipe {

/// Gives numbered permits 0..count-1. Thread-safe. Permits may outlive the object that gave them.
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
    Permit& operator=(Permit other) noexcept {  // `other` gives the old one back
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

  /// Waits for a free permit (as a ScopedWait). Throws Stopped if `stop` is requested first.
  [[nodiscard]] Permit acquire(const std::stop_token& stop);
  /// Waits for a free permit whose number is wanted. Nobody else gets a permit while `wanted` is
  /// asked.
  [[nodiscard]] Permit acquire(const std::stop_token& stop,
                               const std::function<bool(int number)>& wanted);

 private:
  std::shared_ptr<State> state_;
};

}  // namespace facepipe
