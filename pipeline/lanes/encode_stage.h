// Declares EncodeStage, the work of a lane's encoding thread.
#pragma once

#include <optional>
#include <string>

#include "core/timing.h"
#include "pipeline/frame_processor.h"
#include "pipeline/lanes/channel.h"
#include "pipeline/lanes/lane_connections.h"
#include "pipeline/lanes/lane_failures.h"
#include "pipeline/lanes/lane_output.h"
#include "pipeline/lanes/lane_stage.h"
#include "video/write/encoder.h"

namespace facepipe::pipeline {

class EncodeStage final : public LaneStage {
 public:
  EncodeStage(video::Encoder& encoder, Channel<WorkItem>& from, LaneConnections& connections,
              LaneOutput& output, LaneFailures& failures)
      : encoder_(encoder),
        from_(from),
        connections_(connections),
        output_(output),
        failures_(failures) {}

  [[nodiscard]] std::string name() const override;
  void run() override;
  void end() override;

  /// Returns the working time. Valid after the thread has ended.
  [[nodiscard]] Clock::duration working() const { return working_; }

 private:
  [[nodiscard]] std::optional<WorkItem> next(const video::Encoder::Sink& sink);
  void close();

  video::Encoder& encoder_;
  Channel<WorkItem>& from_;
  LaneConnections& connections_;
  LaneOutput& output_;
  LaneFailures& failures_;
  Clock::duration working_{};
};

}  // namespace facepipe::pipeline
