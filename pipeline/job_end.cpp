#include "pipeline/job_end.h"

namespace facepipe::pipeline {

void JobEnd::fail(const Error& error) {
  {
    const std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = error;
  }
  request();
}

std::optional<Error> JobEnd::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

}  // namespace facepipe::pipeline
