#include "pipeline/lanes/runner.h"

#include <pthread.h>

namespace facepipe::pipeline {

void Runner::add(std::string name, std::function<void()> body) {
  threads_.push_back({std::move(name), std::move(body)});
}

void Runner::run() {
  {
    std::vector<std::jthread> running;  // joined at the end of the scope
    running.reserve(threads_.size());
    try {
      for (const Thread& thread : threads_)
        running.push_back(start_([this, &thread] { work(thread); }));
    } catch (...) {
      fail(std::current_exception());
    }
  }
  if (error_) std::rethrow_exception(error_);
}

void Runner::work(const Thread& thread) noexcept {
  pthread_setname_np(pthread_self(), thread.name.substr(0, 15).c_str());
  try {
    thread.body();
  } catch (...) {
    // The exception may be Stopped because another thread has failed earlier. fail() then keeps the
    // exception of that thread.
    fail(std::current_exception());
  }
}

void Runner::fail(std::exception_ptr error) noexcept {
  {
    const std::scoped_lock lock(mutex_);
    if (error_) return;
    error_ = std::move(error);
  }
  failure_.request_stop();
}

}  // namespace facepipe::pipeline
