// Declares the stages of a lane that find faces: PreprocessStage starts the search of each frame,
// and DetectStage waits for the result.
#pragma once

#include <stop_token>
#include <string>
#include <utility>

#include "pipeline/frame_processor.h"
#include "pipeline/lanes/channel.h"
#include "pipeline/lanes/lane_output.h"
#include "pipeline/lanes/lane_stage.h"

namespace facepipe::pipeline {

/// Calls FrameProcessor::start() for each frame.
class PreprocessStage final : public LaneStage {
 public:
  PreprocessStage(FrameProcessor& processor, Channel<WorkItem>& from, Channel<WorkItem>& to,
                  std::stop_token stopped)
      : processor_(processor), from_(from), to_(to), stopped_(std::move(stopped)) {}

  [[nodiscard]] std::string name() const override { return "preprocess"; }
  void run() override;
  void end() override;

 private:
  FrameProcessor& processor_;
  Channel<WorkItem>& from_;
  Channel<WorkItem>& to_;
  const std::stop_token stopped_;
};

/// Calls FrameProcessor::finish() for each frame.
class DetectStage final : public LaneStage {
 public:
  /// @param to  queue to the next stage; nullptr if no later stage changes the frames, which then
  ///            go to `output`
  DetectStage(FrameProcessor& processor, Channel<WorkItem>& from, Channel<WorkItem>* to,
              LaneOutput& output)
      : processor_(processor), from_(from), to_(to), output_(output) {}

  [[nodiscard]] std::string name() const override { return "detect"; }
  void run() override;
  void end() override;

 private:
  void close();

  FrameProcessor& processor_;
  Channel<WorkItem>& from_;
  Channel<WorkItem>* const to_;
  LaneOutput& output_;
};

}  // namespace facepipe::pipeline
