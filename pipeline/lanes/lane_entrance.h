// Where decoded frames enter a lane.
#pragma once

#include <cstdint>
#include <stop_token>

#include "core/device.h"
#include "core/permit_pool.h"
#include "pipeline/frame_processor.h"
#include "pipeline/lanes/channel.h"
#include "pipeline/lanes/lane_connections.h"
#include "pipeline/lanes/lane_failures.h"
#include "video/frames/frame_maker.h"
#include "video/frames/frame_timing.h"

namespace facepipe::pipeline {

/// Bounds the frames that are in a lane at once, and those that wait behind all lanes. Used by one
/// thread.
class LaneEntrance {
 public:
  struct Setup {
    int lane = 0;
    Device device;
    int frames_in_flight = 1;
    std::stop_token stopped;  ///< ends each wait
  };

  LaneEntrance(const Setup& setup, LaneConnections& connections, LaneFailures& failures,
               Channel<WorkItem>& decoded)
      : setup_(setup),
        connections_(connections),
        failures_(failures),
        decoded_(decoded),
        in_flight_(setup.frames_in_flight) {}

  [[nodiscard]] int lane() const { return setup_.lane; }
  /// Waits for a place for the next frame, which push() then uses.
  void reserve();
  /// Passes a frame on. The frame is dropped if the stream has ended before it.
  /// @param coded  DecodedPicture::coded
  void push(video::DecodedFrame decoded, std::int64_t segment, const video::Timing& coded);
  void close() { decoded_.close(); }

 private:
  [[nodiscard]] bool admit(WorkItem& item);

  const Setup setup_;
  LaneConnections& connections_;
  LaneFailures& failures_;
  Channel<WorkItem>& decoded_;
  PermitPool in_flight_;
  PermitPool::Permit place_;  // of in_flight_
};

}  // namespace facepipe::pipeline
