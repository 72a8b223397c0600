// The segments that are in a lane's decoder, and other streams' packets that wait for their turn.
#pragma once

#include <cstdint>
#include <deque>
#include <stop_token>
#include <string>
#include <utility>

#include "pipeline/lanes/lane_connections.h"

namespace facepipe::pipeline {

/// A decoder may get packets of a segment while it still holds pictures of segments before. The
/// first of the begun segments is the one whose pictures come next. Used by one thread.
class BegunSegments {
 public:
  /// @param url      of the input, for errors
  /// @param stopped  ends each wait
  BegunSegments(LaneConnections& connections, std::string url, std::stop_token stopped)
      : connections_(connections), url_(std::move(url)), stopped_(std::move(stopped)) {}

  /// The decoder gets packets of this segment from now on.
  void begin(const Segment& segment);
  /// No more pictures of the first segment come.
  void end_first();
  [[nodiscard]] bool empty() const { return begun_.empty(); }
  /// Pictures of this segment come next, and segments before it have not ended.
  [[nodiscard]] bool ends_before(std::int64_t segment) const {
    return begun_.size() > 1 && segment > first();
  }
  /// The segment whose pictures come next.
  [[nodiscard]] std::int64_t first() const { return begun_.front().segment; }
  /// Counts a frame of the first segment. False if another lane has given this frame already.
  [[nodiscard]] bool count_frame();

  /// Gives a packet of another stream to the last segment. It doesn't wait for room behind the head
  /// while the decoder may hold pictures of a segment before: that one may be the head, which then
  /// would never end. Errors: Error(input) if too many packets wait.
  void give(SidePacket packet);

 private:
  /// A segment that the decoder has got packets of, and its frames so far.
  struct Begun {
    std::int64_t segment = 0;
    std::int64_t frames = 0;
    Order::Progress given;           // by another lane
    std::deque<SidePacket> waiting;  // until the segments before have ended
    std::int64_t waiting_bytes = 0;
  };

  void hold(Begun& segment, SidePacket packet) const;

  LaneConnections& connections_;
  const std::string url_;
  const std::stop_token stopped_;
  std::deque<Begun> begun_;
};

}  // namespace facepipe::pipeline
