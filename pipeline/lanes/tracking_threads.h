// The two threads of a job that find out what is hidden in its frames.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "pipeline/hide/hiding.h"
#include "pipeline/job_end.h"
#include "pipeline/lanes/lane.h"
#include "pipeline/lanes/presentation.h"
#include "pipeline/lanes/track_queue.h"

namespace facepipe::pipeline {

/// One thread follows faces in the frames of all lanes. The other one decides what is hidden, and
/// gives the lanes their verdicts.
class TrackingThreads {
 public:
  /// All that is referred to outlives it.
  /// @param presentation  nullptr if the lane knows the frames' place in the stream
  /// @param failed        requested when the job has failed
  /// @param lane          whose device the threads work on
  TrackingThreads(Hiding& hiding, TrackQueue& tracks, JobEnd& end, const Lane& lane,
                  std::unique_ptr<Presentation> presentation, std::stop_token failed);

  /// The bodies of the threads.
  void follow();
  /// @param cut_short  as Hiding::decide()
  void decide(const std::function<bool()>& cut_short);

 private:
  Hiding& hiding_;
  TrackQueue& tracks_;
  JobEnd& end_;
  const Lane& lane_;
  const std::unique_ptr<Presentation> presentation_;
  Hiding::PendingVerdicts pending_;
};

}  // namespace facepipe::pipeline
