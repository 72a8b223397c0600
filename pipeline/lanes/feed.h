// From the packets of an input to segments for lanes.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>

#include "pipeline/lanes/order.h"
#include "pipeline/lanes/segment_queue.h"
#include "video/bitstream/segments.h"

namespace facepipe::pipeline {

/// Gives packets to segments, and segments to the lane that asks first: one after the other, each
/// to its end. The thread that reads uses it. Once `stop` is requested, what waits throws Stopped.
/// Its nine members are where packets go, and those whose segment has not begun.
class Feed {
 public:
  /// @param cut      the stream that is cut into segments; nullptr: there is one segment
  /// @param packets  how many packets may wait if there is one segment
  Feed(const AVCodecParameters* cut, int packets, Segments& segments, Order& order,
       std::stop_token stop);

  /// The next packet of the video, in file order.
  void give(video::ReadPacket packet);
  /// A packet of another stream, in file order among them.
  void give(SidePacket packet);
  /// There are no more packets.
  void finish();

  /// The number of segments so far.
  [[nodiscard]] std::int64_t segments() const { return begun_; }

 private:
  void begin_segment(bool starts_independently);
  void end_segment();
  void pass_on();
  void push(video::ReadPacket packet);

  const Segment::Limits limits_;
  Segments& segments_;
  Order& order_;
  const std::stop_token stop_;
  std::optional<video::Segmenter> segmenter_;
  std::shared_ptr<Segment> open_;
  std::deque<video::ReadPacket> of_next_;  // of the next segment, while the open one gets packets
  std::deque<SidePacket> side_of_next_;    // side packets that came before its first packet
  std::int64_t begun_ = 0;
};

}  // namespace facepipe::pipeline
