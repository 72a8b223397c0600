// Connects the lanes of a job with each other, and with the job's threads that read, track faces
// and write.
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

/// Queues and state that all lanes of a job share. They outlive the lanes.
struct LaneConnections {
  struct Limits {
    int lanes = 1;
    /// Lanes can be on several devices. If a device fails, another device repeats its unfinished
    /// work.
    bool several_devices = false;
    Order::Limits order;
    std::optional<TrackQueue::Limits> tracks;  ///< if faces are hidden
  };

  /// @param notices  outlives this object
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
  Segments segments;                 ///< the thread that reads fills it, and lanes take from it
  Order order;                       ///< lanes fill it, and the thread that writes takes from it
  std::optional<TrackQueue> tracks;  ///< lanes fill it, and the thread that follows faces takes
                                     ///< from it; nullopt if faces aren't hidden
};

}  // namespace facepipe::pipeline
