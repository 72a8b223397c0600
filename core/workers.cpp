#include "core/workers.h"

#include <stop_token>
#include <utility>

#include "core/threads.h"

namespace facepipe {

Workers::Workers(int threads) {
  for (int i = 1; i < threads; ++i)
    threads_.push_back(start_thread([this, i](const std::stop_token& stop) { serve(stop, i); }));
}

Workers::~Workers() = default;

void Workers::run(std::size_t parts, const std::function<void(std::size_t, int)>& part) {
  const std::scoped_lock only(one_at_a_time_);
  std::unique_lock lock(mutex_);
  part_ = &part;
  next_ = 0;
  parts_ = parts;
  failure_ = nullptr;
  begun_.notify_all();
  take_parts(lock, 0);
  ended_.wait(lock, [this] { return busy_ == 0; });
  part_ = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Workers::serve(const std::stop_token& stop, int thread) {
  std::unique_lock lock(mutex_);
  while (begun_.wait(lock, stop, [this] { return part_ != nullptr && next_ < parts_; }))
    take_parts(lock, thread);
}

void Workers::take_parts(std::unique_lock<std::mutex>& lock, int thread) {
  while (next_ < parts_) {
    const std::size_t mine = next_++;
    ++busy_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*part_)(mine, thread);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    --busy_;
    if (failure) {
      next_ = parts_;
      if (!failure_) failure_ = failure;
    }
  }
  if (busy_ == 0) ended_.notify_one();
}

}  // namespace facepipe
