#include "core/slots.h"

#include "core/error.h"
#include "core/timing.h"

namespace facepipe {

Slots::Slots(int count) : state_(std::make_shared<State>()) {
  for (int number = count - 1; number >= 0; --number) state_->free.push_back(number);
}

Slots::Permit Slots::acquire(const std::stop_token& stop) {
  const ScopedWait waiting;
  std::unique_lock lock(state_->mutex);
  if (!state_->freed.wait(lock, stop, [this] { return !state_->free.empty(); })) throw Stopped();
  const int number = state_->free.back();
  state_->free.pop_back();
  return {state_, number};
}

void Slots::Permit::release() noexcept {
  if (!state_) return;
  {
    const std::scoped_lock lock(state_->mutex);
    state_->free.push_back(number_);  // never reallocates: the capacity holds every permit
  }
  state_->freed.notify_one();
  state_.reset();
}

}  // namespace facepipe
