// Lets decoded frames into a lane when there is room for them.
#pragma once

#include <stop_token>

#include "core/device.h"
#include "core/permit_pool.h"
#include "pipeline/frame_processor.h"
#include "pipeline/lanes/channel.h"
#include "pipeline/lanes/lane_connections.h"
#include "pipeline/lanes/lane_failures.h"
#include "video/frames/frame_maker.h"

namespace facepipe::pipeline {

/// Limits the frames that are in a lane at the same time. Also waits until TrackQueue and Order,
/// which hold frames of all lanes, have room for the frame. Used by one thread.
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
  /// Waits until the lane has room for one more frame. The next push() uses this room.
  void reserve();
  /// Gives a frame to the lane's next stage. Drops the frame if the stream ends before it.
  /// @param item  has the record's index, the segment, WorkItem::coded and
  ///              WorkItem::begins_next_part; all else is filled in
  void push(video::DecodedFrame decoded, WorkItem item);
  void close() { decoded_.close(); }

 private:
  [[nodiscard]] bool admit(WorkItem& item);

  const Setup setup_;
  LaneConnections& connections_;
  LaneFailures& failures_;
  Channel<WorkItem>& decoded_;
  PermitPool in_flight_;
  PermitPool::Permit place_;  // the reserved permit of in_flight_
};

}  // namespace facepipe::pipeline
