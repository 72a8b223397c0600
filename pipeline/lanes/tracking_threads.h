// Declares TrackingThreads, the work of the two threads that decide what is hidden in each frame.
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

/// The thread "track" follows faces in the frames of all lanes. The thread "decide" decides what is
/// hidden, and gives the lanes their verdicts.
class TrackingThreads {
 public:
  /// The referenced arguments must outlive this object.
  /// @param lane          the threads work on its device
  /// @param presentation  nullptr if there is one lane, which numbers the frames itself
  /// @param failed        requested when the job has failed
  TrackingThreads(Hiding& hiding, TrackQueue& tracks, JobEnd& end, const Lane& lane,
                  std::unique_ptr<Presentation> presentation, std::stop_token failed);

  /// Follows faces until the stream ends. The thread "track" calls this.
  void follow();
  /// Decides what is hidden, until the stream ends. The thread "decide" calls this.
  /// @param cut_short  see Hiding::decide()
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
