#include "pipeline/job_end.h"

#include "core/passing_error.h"

namespace facepipe::pipeline {

void JobEnd::fail(const Error& error) {
  {
    const std::scoped_lock lock(mutex_);
    if (!failure_) {
      failure_ = error;
      failure_passes_ = dynamic_cast<const PassingError*>(&error) != nullptr;
    }
  }
  request();
}

std::optional<Error> JobEnd::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

bool JobEnd::failure_passes() const {
  const std::scoped_lock lock(mutex_);
  return failure_passes_;
}

}  // namespace facepipe::pipeline
