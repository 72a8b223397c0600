#include "app/run/file_failures.h"

#include <spdlog/spdlog.h>

#include "app/run/task.h"

namespace facepipe::app {

void FileFailures::report(const std::optional<Failure>& failure) {
  if (!failure) return;
  if (is_new(failure->message)) spdlog::error("{}", failure->message);
  count(*failure);
}

bool FileFailures::is_new(const std::string& message) {
  const std::scoped_lock lock(mutex_);
  return reported_.insert(message).second;
}

void FileFailures::count(const Failure& failure) {
  int none = kExitDone;
  code_.compare_exchange_strong(none, code_of(failure, options_));
}

}  // namespace facepipe::app
