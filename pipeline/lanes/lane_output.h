// Takes the frames of a lane whose pixels are final.
#pragma once

#include <cstdint>

#include "pipeline/frame_processor.h"
#include "pipeline/lanes/channel.h"
#include "pipeline/lanes/lane_connections.h"
#include "video/frames/frame_timing.h"
#include "video/write/encoder.h"

namespace facepipe::pipeline {

/// Gives frames with final pixels to the lane's encoder, and encoded frames to the job's Order. If
/// no video is written, frames go to Order without an encoder. Only one thread calls give().
class LaneOutput {
 public:
  /// @param to_encoder  nullptr if no video is written
  LaneOutput(LaneConnections& connections, Channel<WorkItem>* to_encoder)
      : connections_(connections), to_encoder_(to_encoder) {}

  /// Takes a frame with final pixels.
  void give_drawn(WorkItem drawn);
  /// Says that the last frame of the segment is left out. No other frame of it may follow.
  void leave_out_last(std::int64_t segment);
  /// Must be called after the last give_drawn().
  void close_drawn();
  /// Gives a frame to Order.
  /// @param coded  DecodedPicture::coded
  void give(video::EncodedFrame encoded, std::int64_t segment, const video::Timing& coded);

  /// Returns how many frames were given to Order.
  [[nodiscard]] std::int64_t frames() const { return frames_; }

 private:
  LaneConnections& connections_;
  Channel<WorkItem>* const to_encoder_;
  std::int64_t frames_ = 0;
};

}  // namespace facepipe::pipeline
