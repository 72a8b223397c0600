#include "pipeline/lanes/lane_failures.h"

#include <algorithm>

#include "core/error.h"

namespace facepipe::pipeline {

void LaneFailures::run(LaneStage& stage) {
  work_on_device(stage);
  if (--running_ == 0 && device_failed())
    segments_.give_back(connections_.devices.failure(backend_.device()));
}

/// Runs the stage. If the lane's device fails and another device works, catches the error, and also
/// the errors that follow from it. Rethrows all other errors.
void LaneFailures::work_on_device(LaneStage& stage) {
  try {
    backend_.enter_thread();
    work(stage);
  } catch (const Error& error) {
    const bool of_device = error.kind() == ErrorKind::device;
    if (of_device && connections_.devices.give_up(backend_.device(), error.what())) return;
    if (!device_failed()) throw;
  } catch (const Stopped&) {
    if (!device_failed()) throw;
  }
}

void LaneFailures::work(LaneStage& stage) {
  // After an error, goes_on_after() ends the input early, before lose_from() ends the stream. In
  // the other order, the end of the stream would look like the end of the input.
  if (end_.goes_on_after([&] { stage.run(); })) return;
  lose_from(stage.segment());
  stage.end();
}

void LaneFailures::lose_from(std::int64_t segment) {
  {
    const std::scoped_lock lock(losing_);
    lost_from_ = std::min(segment, lost_from_.value_or(segment));
  }
  connections_.order.end_with(segment);
  connections_.tracks->end_with(segment);
}

std::optional<std::int64_t> LaneFailures::lost_from() {
  const std::scoped_lock lock(losing_);
  return lost_from_;
}

}  // namespace facepipe::pipeline
