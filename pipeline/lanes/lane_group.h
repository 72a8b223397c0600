// Holds the lanes of a job: the lanes that it begins with, and the lanes that join it later.
#pragma once

#include <list>
#include <optional>
#include <stop_token>

#include "core/permit_pool.h"
#include "pipeline/backend.h"
#include "pipeline/job_end.h"
#include "pipeline/job_options.h"
#include "pipeline/job_plan.h"
#include "pipeline/lanes/lane.h"
#include "pipeline/lanes/lane_connections.h"
#include "pipeline/lanes/reader.h"
#include "pipeline/lanes/runner.h"

namespace facepipe::pipeline {

/// Makes lanes and keeps them until the job's end.
class LaneGroup {
 public:
  /// The objects from which the lanes are made. They outlive the lanes.
  struct Setup {
    const JobOptions& options;
    Backend& backend;
    const JobPlan& plan;
    OpenInput& input;
    JobDiagnostics diagnostics;
  };

  /// Makes the lanes that are in `setup.input`.
  /// @param failed  requested when the job has failed
  LaneGroup(const Setup& setup, LaneConnections& connections, JobEnd& end, Reader& reader,
            const std::stop_token& failed);

  /// Adds the threads of the lanes, and one thread "join" for each lane that may join.
  void add_threads(Runner& runner);

  [[nodiscard]] const Lane& first() const { return first_; }
  /// Returns all lanes. Call it only before the threads begin or after they have ended.
  [[nodiscard]] const std::list<Lane>& all() const { return lanes_; }

 private:
  const Lane& add_planned(const std::stop_token& failed);
  Lane& add(int number, LaneParts parts, const std::stop_token& failed);
  void join(const std::stop_token& failed);
  [[nodiscard]] bool may_join(int lane);
  [[nodiscard]] std::optional<LaneParts> make(const PermitPool::Permit& lane);

  const Setup setup_;
  LaneConnections& connections_;
  JobEnd& end_;
  Reader& reader_;
  std::list<Lane> lanes_;  // guarded by reader_.pause() while threads run
  const Lane& first_;      // may be used without the guard
};

}  // namespace facepipe::pipeline
