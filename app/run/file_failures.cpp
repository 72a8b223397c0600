#include "app/run/file_failures.h"

#include <spdlog/spdlog.h>

#include "app/run/task.h"

namespace facepipe::app {

void FileFailures::report(const std::optional<Failure>& failure) {
  if (!failure) return;
  spdlog::error("{}", failure->message);
  count(*failure);
}

void FileFailures::count(const Failure& failure) {
  int none = kExitDone;
  code_.compare_exchange_strong(none, code_of(failure, options_));
}

}  // namespace facepipe::app
