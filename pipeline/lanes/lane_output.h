// Where frames go when a lane has nothing more to change in them.
#pragma once

#include <cstdint>

#include "pipeline/frame_processor.h"
#include "pipeline/lanes/channel.h"
#include "pipeline/lanes/lane_connections.h"
#include "video/frames/frame_timing.h"
#include "video/write/encoder.h"

namespace facepipe::pipeline {

/// Frames with their final pixels go to the encoder, and from there to the job's Order. If no video
/// is written, they go there at once. One thread at a time gives to the Order.
class LaneOutput {
 public:
  /// @param to_encoder  nullptr if no video is written
  LaneOutput(LaneConnections& connections, Channel<WorkItem>* to_encoder)
      : connections_(connections), to_encoder_(to_encoder) {}

  /// A frame with its final pixels.
  void give_drawn(WorkItem drawn);
  /// No more frames with their final pixels come.
  void close_drawn();
  /// A frame for the Order.
  /// @param coded  DecodedPicture::coded
  void give(video::EncodedFrame encoded, std::int64_t segment, const video::Timing& coded);

  /// Frames that the Order got.
  [[nodiscard]] std::int64_t frames() const { return frames_; }

 private:
  LaneConnections& connections_;
  Channel<WorkItem>* const to_encoder_;
  std::int64_t frames_ = 0;
};

}  // namespace facepipe::pipeline
