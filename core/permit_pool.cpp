#include "core/permit_pool.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "core/timing.h"

namespace facepipe {

PermitPool::PermitPool(int count) : state_(std::make_shared<State>()) {
  for (int number = count - 1; number >= 0; --number) state_->free.push_back(number);
}

PermitPool::Permit PermitPool::acquire(const std::stop_token& stop) {
  return acquire(stop, [](int /*number*/) { return true; });
}

PermitPool::Permit PermitPool::acquire(const std::stop_token& stop,
                                       const std::function<bool(int number)>& wanted) {
  const ScopedWait waiting;
  std::unique_lock lock(state_->mutex);
  std::vector<int>& free = state_->free;
  auto found = free.end();
  const auto there_is_one = [&] {
    const auto last = std::find_if(free.rbegin(), free.rend(), wanted);
    found = last == free.rend() ? free.end() : std::prev(last.base());
    return found != free.end();
  };
  if (!state_->freed.wait(lock, stop, there_is_one)) throw Stopped();
  const int number = *found;
  free.erase(found);
  return {state_, number};
}

void PermitPool::Permit::release() noexcept {
  if (!state_) return;
  {
    const std::scoped_lock lock(state_->mutex);
    state_->free.push_back(number_);  // never reallocates, because the capacity holds every permit
  }
  state_->freed.notify_all();  // notify all, because not every waiter may want this permit
  state_.reset();
}

}  // namespace facepipe
