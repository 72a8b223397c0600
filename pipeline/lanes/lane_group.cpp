#include "pipeline/lanes/lane_group.h"

#include <mutex>
#include <utility>

#include "core/error.h"
#include "pipeline/job_parts.h"

namespace facepipe::pipeline {

LaneGroup::LaneGroup(const Setup& setup, LaneConnections& connections, JobEnd& end, Reader& reader,
                     const std::stop_token& failed)
    : setup_(setup),
      connections_(connections),
      end_(end),
      reader_(reader),
      first_(add_planned(failed)) {}

/// Makes the lanes whose parts the plan has made, and returns the first lane.
const Lane& LaneGroup::add_planned(const std::stop_token& failed) {
  int number = setup_.options.resources.shared ? setup_.options.resources.shared->own : 0;
  for (LaneParts& parts : std::exchange(setup_.input.lanes, {})) {
    connections_.devices.add(parts.backend->device());
    add(number++, std::move(parts), failed);
  }
  return lanes_.front();
}

Lane& LaneGroup::add(int number, LaneParts parts, const std::stop_token& failed) {
  return lanes_.emplace_back(number, std::move(parts), setup_.plan.limits.frames, connections_,
                             end_, failed);
}

void LaneGroup::add_threads(Runner& runner) {
  for (Lane& lane : lanes_) lane.add_threads(runner);
  if (!setup_.options.resources.shared) return;
  for (int i = 1; i < setup_.plan.lanes.count; ++i)
    runner.add("join", [this, failed = runner.failed()] { join(failed); });
}

/// Waits until another job gives a lane back, makes that lane for this job, and runs its threads.
/// A thread "join" calls this.
/// @param failed  requested when the job has failed
void LaneGroup::join(const std::stop_token& failed) {
  PermitPool::Permit permit;
  const std::stop_token ended = connections_.segments.ended();
  try {
    PermitPool lanes = setup_.options.resources.shared->lanes;
    permit = lanes.acquire(ended, [this](int lane) { return may_join(lane); });
  } catch (const Stopped&) {
    return;  // no segments are left for another lane
  }
  if (ended.stop_requested()) return;
  Runner runner(failed);
  {
    const std::unique_lock paused = reader_.pause();
    std::optional<LaneParts> parts = make(permit);
    if (!parts || !connections_.devices.add(parts->backend->device())) return;
    add(permit.number(), std::move(*parts), runner.failed()).add_threads(runner);
  }
  runner.run();
}

/// Returns whether the lane's device can be used. A job that hides faces uses only the device of
/// its first lane.
bool LaneGroup::may_join(int lane) {
  return !setup_.options.hide || setup_.backend.for_lane(lane).device() == first_.device();
}

/// Makes the parts of a lane. If its device has no room for them, adds a notice and returns
/// nullopt; the job continues without this lane.
std::optional<LaneParts> LaneGroup::make(const PermitPool::Permit& lane) {
  Backend& backend = setup_.backend.for_lane(lane.number());
  try {
    return make_lane(backend, setup_.plan, setup_.options, setup_.input, setup_.diagnostics);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::device) throw;
    setup_.diagnostics.notices.add(to_string(backend.device()) +
                                   " has no room for another lane: " + error.what());
    return std::nullopt;
  }
}

}  // namespace facepipe::pipeline
