// Declares the stages of a lane that hide faces: LookStage prepares each frame for the job's
// tracker. HideStage waits for the frame's verdict, and hides the frame's faces.
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

/// Frames that wait in the lane between LookStage and HideStage, and the verdicts on them.
struct WaitingForVerdicts {
  Channel<WorkItem> frames;      ///< without a limit, because WorkItem::room limits the frames
  TrackQueue::Answers verdicts;  ///< without a stop token, because "decide" answers each frame
};

/// Calls LaneHiding::look() for each frame, and gives the result to the job's tracker.
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

/// Waits for each frame's verdict, and calls LaneHiding::apply().
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
  /// If a frame gets no verdict, drops it, and ends the stream before it.
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
