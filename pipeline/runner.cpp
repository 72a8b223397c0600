#include "pipeline/runner.h"

#include <pthread.h>

#include <chrono>

namespace facepipe {
namespace {

using std::chrono_literals::operator""ms;

}  // namespace

void Runner::stage(std::string name, std::function<void()> body) {
  stages_.push_back({std::move(name), std::move(body)});
}

void Runner::run() {
  std::vector<std::jthread> threads;
  threads.reserve(stages_.size());
  try {
    start_all(threads);
  } catch (...) {
    fail(std::current_exception());
  }
  abort_until_ended();
  threads.clear();
  if (error_) std::rethrow_exception(error_);
}

void Runner::start_all(std::vector<std::jthread>& threads) {
  for (const Stage& stage : stages_) {
    {
      const std::scoped_lock lock(mutex_);
      ++running_;
    }
    try {
      threads.push_back(start_([this, &stage] { work(stage); }));
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      --running_;
      throw;
    }
  }
}

void Runner::work(const Stage& stage) noexcept {
  pthread_setname_np(pthread_self(), stage.name.substr(0, 15).c_str());
  try {
    stage.body();
  } catch (...) {
    // Stopped, too: where another stage failed before, its exception is the one that is kept.
    fail(std::current_exception());
  }
  const std::scoped_lock lock(mutex_);
  --running_;
  changed_.notify_all();
}

void Runner::fail(std::exception_ptr error) noexcept {
  {
    const std::scoped_lock lock(mutex_);
    if (error_) return;
    error_ = std::move(error);
  }
  failure_.request_stop();
  changed_.notify_all();
}

void Runner::abort_until_ended() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return running_ == 0 || error_ != nullptr; });
  // A thread may enter a wait just after one abort has passed it by, so abort until all have left.
  while (running_ > 0) {
    for (Abortable* channel : channels_) channel->abort();
    changed_.wait_for(lock, 1ms);
  }
}

}  // namespace facepipe
