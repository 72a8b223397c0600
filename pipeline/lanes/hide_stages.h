// The threads of a lane that hide faces: one looks for motion, one waits for verdicts and hides.
#pragma once

#include <stop_token>
#include <string>
#include <utility>

#include "pipeline/hide/hiding.h"
#include "pipeline/lanes/channel.h"
#include "pipeline/lanes/lane_failures.h"
#include "pipeline/lanes/lane_output.h"
#include "pipeline/lanes/lane_stage.h"
#include "pipeline/lanes/track_queue.h"

namespace facepipe::pipeline {

/// What the two threads share: frames that wait in the lane, and the verdicts on them.
struct WaitingForVerdicts {
  Channel<WorkItem> frames;      ///< bounded by WorkItem::room
  TrackQueue::Answers verdicts;  ///< never stopped, because a thread of the job gives them
};

/// LaneHiding::look(): gives what it finds to the job's tracker.
class LookStage final : public LaneStage {
 public:
  LookStage(LaneHiding& hiding, Channel<WorkItem>& from, WaitingForVerdicts& to, TrackQueue& tracks,
            LaneFailures& failures)
      : hiding_(hiding), from_(from), to_(to), tracks_(tracks), failures_(failures) {}

  [[nodiscard]] std::string name() const override { return "look"; }
  void run() override;
  void end() override;

 private:
  void close();

  LaneHiding& hiding_;
  Channel<WorkItem>& from_;
  WaitingForVerdicts& to_;
  TrackQueue& tracks_;
  LaneFailures& failures_;
};

/// LaneHiding::apply().
class HideStage final : public LaneStage {
 public:
  HideStage(LaneHiding& hiding, WaitingForVerdicts& from, LaneOutput& output,
            LaneFailures& failures, std::stop_token stopped)
      : hiding_(hiding),
        from_(from),
        output_(output),
        failures_(failures),
        stopped_(std::move(stopped)) {}

  [[nodiscard]] std::string name() const override { return "overlay"; }
  /// Drops a frame that gets no verdict, with all that follows it in the stream.
  void run() override;
  void end() override;

 private:
  LaneHiding& hiding_;
  WaitingForVerdicts& from_;
  LaneOutput& output_;
  LaneFailures& failures_;
  const std::stop_token stopped_;
};

}  // namespace facepipe::pipeline
