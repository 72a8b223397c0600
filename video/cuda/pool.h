// Keeps objects on the device that are expensive to make, so that they can be used again: events,
// buffers.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace facepipe::video {

/// Lends objects. A lent object returns to the pool when its last holder releases it, possibly
/// after the pool's end. If no object is free, lease() makes another one. In a pool that is large
/// enough this never happens. Thread-safe.
template <class T>
class Pool {
  struct State {
    std::mutex mutex;
    std::vector<std::unique_ptr<T>> free;
  };

 public:
  Pool(std::size_t count, std::function<std::unique_ptr<T>()> make) : make_(std::move(make)) {
    for (std::size_t i = 0; i < count; ++i) state_->free.push_back(make_());
  }

  [[nodiscard]] std::shared_ptr<T> lease() {
    std::unique_ptr<T> taken;
    {
      const std::scoped_lock lock(state_->mutex);
      if (!state_->free.empty()) {
        taken = std::move(state_->free.back());
        state_->free.pop_back();
      }
    }
    if (!taken) taken = make_();
    return {taken.release(), [state = state_](T* thing) {
              std::unique_ptr<T> back(thing);
              const std::scoped_lock lock(state->mutex);
              state->free.push_back(std::move(back));
            }};
  }

 private:
  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::function<std::unique_ptr<T>()> make_;
};

}  // namespace facepipe::video
