// The threads of a lane that look for faces: one begins with each frame, one waits for its faces.
#pragma once

#include <stop_token>
#include <string>
#include <utility>

#include "pipeline/frame_processor.h"
#include "pipeline/lanes/channel.h"
#include "pipeline/lanes/lane_output.h"
#include "pipeline/lanes/lane_stage.h"

namespace facepipe::pipeline {

/// FrameProcessor::start().
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

/// FrameProcessor::finish().
class DetectStage final : public LaneStage {
 public:
  /// @param to  nullptr if the lane changes nothing in the frames: they go to `output` then
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
