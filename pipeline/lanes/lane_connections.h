// What connects the lanes of a job with each other, and with the threads around them.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "pipeline/lanes/lane_devices.h"
#include "pipeline/lanes/order.h"
#include "pipeline/lanes/segment_queue.h"
#include "pipeline/lanes/track_queue.h"
#include "video/notices.h"

namespace facepipe::pipeline {

/// All lanes of a job share these. They outlive the lanes.
struct LaneConnections {
  struct Limits {
    int lanes = 1;
    /// Lanes may work on several devices, so that one can do again what another one left.
    bool several_devices = false;
    Order::Limits order;
    std::optional<TrackQueue::Limits> tracks;  ///< if faces are hidden
  };

  /// @param notices  outlives it
  /// @param failed   requested when the job has failed; ends each wait
  LaneConnections(const Limits& limits, video::Notices& notices, const std::stop_token& failed)
      : devices(notices),
        segments(limits.lanes, failed, limits.several_devices),
        order(limits.order, failed) {
    if (limits.tracks)
      tracks.emplace(
          *limits.tracks, [this](std::int64_t head) { order.need(head); }, failed);
  }

  LaneDevices devices;
  Segments segments;                 ///< from the thread that reads
  Order order;                       ///< to the thread that writes
  std::optional<TrackQueue> tracks;  ///< to the thread that follows faces, if they are hidden
};

}  // namespace facepipe::pipeline
