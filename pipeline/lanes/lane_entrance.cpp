#include "pipeline/lanes/lane_entrance.h"

#include <optional>
#include <utility>

namespace facepipe::pipeline {

void LaneEntrance::reserve() {
  if (!place_) place_ = in_flight_.acquire(setup_.stopped);
}

void LaneEntrance::push(video::DecodedFrame decoded, WorkItem item) {
  item.frame = std::move(decoded.frame);
  item.record.times = decoded.times;
  item.record.pts_s = item.frame.seconds();
  item.record.size = item.frame.upright();
  item.record.lane = setup_.lane;
  item.record.device = setup_.device;
  item.record.damaged = decoded.damaged;
  reserve();
  item.in_flight = std::move(place_);
  if (admit(item)) decoded_.push(std::move(item));
}

/// Waits for room in TrackQueue and Order. Returns false if the stream ends before the frame.
bool LaneEntrance::admit(WorkItem& item) {
  if (connections_.tracks) {
    std::optional<TrackQueue::Room> room = connections_.tracks->admit(item.segment, setup_.stopped);
    if (!room) {
      failures_.lose_from(item.segment);
      return false;
    }
    item.room = std::move(*room);
  }
  connections_.order.admit(item.segment, setup_.stopped);
  return true;
}

}  // namespace facepipe::pipeline
