// Keeps track of the segments in a lane's decoder, and keeps other streams' packets that must wait.
#pragma once

#include <cstdint>
#include <deque>
#include <stop_token>
#include <string>
#include <utility>

#include "pipeline/lanes/lane_connections.h"

namespace facepipe::pipeline {

/// The segments that a lane's decoder has begun and not ended, in order. The decoder can get
/// packets of a segment while it still holds pictures of earlier segments. It returns pictures of
/// the first begun segment next. Used by one thread.
class BegunSegments {
 public:
  /// @param url      the input's name, for errors
  /// @param stopped  ends each wait
  BegunSegments(LaneConnections& connections, std::string url, std::stop_token stopped)
      : connections_(connections), url_(std::move(url)), stopped_(std::move(stopped)) {}

  /// Call this when the decoder gets packets of this segment from now on.
  void begin(const Segment& segment);
  /// Call this when the decoder has returned all pictures of the first segment.
  void end_first();
  [[nodiscard]] bool empty() const { return begun_.empty(); }
  /// Returns whether the first segment must end before a picture of `segment` is counted.
  [[nodiscard]] bool ends_before(std::int64_t segment) const {
    return begun_.size() > 1 && segment > first();
  }
  /// Returns the number of the first segment.
  [[nodiscard]] std::int64_t first() const { return begun_.front().segment; }
  /// Returns the number of the next decoded picture of the first segment: how many frames are
  /// before it in the input (FramesBefore). Must be called once for each picture, in presentation
  /// order.
  [[nodiscard]] std::int64_t number_picture() { return begun_.front().next_number++; }
  /// Counts a frame of the first segment. Returns false if another lane has given this frame to
  /// Order already.
  [[nodiscard]] bool count_frame();

  /// Gives a packet of another stream to the last segment. If earlier segments have not ended, the
  /// packet is kept here until they have ended. Otherwise the lane could wait until Order has room
  /// for the packet, while Order waits for the end of an earlier segment in this lane. Errors:
  /// Error(input) if too many packets are kept.
  void give(SidePacket packet);

 private:
  struct Begun {
    std::int64_t segment = 0;
    std::int64_t next_number = 0;    // see number_picture()
    std::int64_t frames = 0;         // frames so far
    Order::Progress given;           // what another lane has given to Order already
    std::deque<SidePacket> waiting;  // kept until the earlier segments have ended
    std::int64_t waiting_bytes = 0;
  };

  void hold(Begun& segment, SidePacket packet) const;

  LaneConnections& connections_;
  const std::string url_;
  const std::stop_token stopped_;
  std::deque<Begun> begun_;
};

}  // namespace facepipe::pipeline
