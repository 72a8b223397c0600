// Declares DrawStage, the work of a lane's thread that draws faces.
#pragma once

#include <string>

#include "pipeline/frame_processor.h"
#include "pipeline/lanes/channel.h"
#include "pipeline/lanes/lane_output.h"
#include "pipeline/lanes/lane_stage.h"

namespace facepipe::pipeline {

/// Calls FrameProcessor::pass_on(), pass_on_rest() and draw().
class DrawStage final : public LaneStage {
 public:
  DrawStage(FrameProcessor& processor, Channel<WorkItem>& from, LaneOutput& output)
      : processor_(processor), from_(from), output_(output) {}

  [[nodiscard]] std::string name() const override { return "overlay"; }
  void run() override;
  void end() override;

 private:
  FrameProcessor& processor_;
  Channel<WorkItem>& from_;
  LaneOutput& output_;
};

}  // namespace facepipe::pipeline
