// Divides the packets of an input into segments for lanes.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>

#include "pipeline/lanes/frames_before.h"
#include "pipeline/lanes/order.h"
#include "pipeline/lanes/segment_queue.h"
#include "pipeline/parts/part_packets.h"
#include "video/bitstream/segments.h"

namespace facepipe::pipeline {

/// Puts packets into segments, and segments into the queue from which lanes take them. It fills one
/// segment to its end before it begins the next one. The thread that reads uses it. Once `stop` is
/// requested, all functions that wait throw Stopped. Its twelve members are the targets of packets,
/// and the packets whose segment has not begun.
class Feed {
 public:
  /// @param cut      the stream that is cut into segments; nullptr: there is one segment
  /// @param packets  the most packets that wait, if there is one segment
  /// @param lanes    if there are several, `cut` is cut at each safe place
  /// @param part     if it isn't null, the segments are those of this part; with one lane, `cut` is
  ///                 only cut into parts
  /// @param before   so many packets of the video come before those that the feed gets
  /// @param in_range as FramesBefore has it
  Feed(const AVCodecParameters* cut, int lanes, int packets, Segments& segments, Order& order,
       std::stop_token stop, const PartJob* part = nullptr, std::int64_t before = 0,
       FramesBefore::InRange in_range = {});

  /// Takes the next packet of the video. All packets must come in file order.
  void give(video::ReadPacket packet);
  /// Takes the next packet of another stream.
  void give(SidePacket packet);
  /// Must be called after the last packet.
  void finish();

  /// Returns the number of segments so far.
  [[nodiscard]] std::int64_t segments() const { return begun_; }
  /// Returns whether the part has ended, so that it needs no more packets.
  [[nodiscard]] bool part_has_ended() const { return part_ && part_->ended(); }
  /// Returns whether the packets so far are those of the part.
  [[nodiscard]] bool are_of(const PartJob& part) const { return part_ && part_->are_of(part); }

 private:
  void begin_segment(bool starts_independently);
  void end_segment();
  void pass_on();
  void push(video::ReadPacket packet);

  const bool one_lane_;
  const Segment::Limits limits_;
  Segments& segments_;
  Order& order_;
  const std::stop_token stop_;
  std::optional<video::Segmenter> segmenter_;
  std::optional<PartPackets> part_;
  FramesBefore before_;
  std::shared_ptr<Segment> open_;
  // Packets of the next segment that came before the segment before it ended.
  std::deque<video::ReadPacket> of_next_;
  // Packets of other streams that came while no segment was open; the next segment gets them.
  std::deque<SidePacket> side_of_next_;
  std::int64_t begun_ = 0;
};

}  // namespace facepipe::pipeline
