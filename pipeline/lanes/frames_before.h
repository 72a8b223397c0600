// Numbers the frames of an input by its packets, before anybody has decoded the frames before them.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "video/bitstream/segments.h"
#include "video/ffmpeg.h"

namespace facepipe::pipeline {

/// Counts the frames before each segment of an input. Each packet that belongs to the segment, and
/// whose picture lies in the chosen range, counts as one frame. So the frames of all lanes, and of
/// all parts, have the numbers that one lane gives the frames of the whole input. The exceptions
/// are packets without a frame: those that can't be decoded, and second fields in packets of their
/// own. Behind them, the numbers jump at the next cut. They still don't depend on lanes. Not
/// thread-safe.
class FramesBefore {
 public:
  /// Returns whether a packet's picture lies in the chosen range.
  using InRange = std::function<bool(const AVPacket& packet)>;

  /// @param in_range  empty: the pictures of all packets lie in the range
  explicit FramesBefore(InRange in_range) : in_range_(std::move(in_range)) {}

  /// Takes the next packet, or the next end of a segment, that the Segmenter gives.
  void see(const video::SegmentPacket& packet) {
    if (!packet.read.packet) {
      frames_ += of_open_;
      of_open_ = std::exchange(of_next_, 0);
      ++open_;
      return;
    }
    if (packet.read.decode_only || !is_shown(*packet.read.packet)) return;
    ++(packet.segment > open_ ? of_next_ : of_open_);
  }

  /// Returns the number of the segment that ends next, counted from 0. All packets of the segments
  /// before have come.
  [[nodiscard]] std::int64_t open_segment() const { return open_; }
  /// Returns the number of frames before the segment open_segment().
  [[nodiscard]] std::int64_t frames() const { return frames_; }

 private:
  [[nodiscard]] bool is_shown(const AVPacket& packet) const {
    return (packet.flags & AV_PKT_FLAG_DISCARD) == 0 && (!in_range_ || in_range_(packet));
  }

  const InRange in_range_;
  std::int64_t open_ = 0;
  std::int64_t frames_ = 0;
  std::int64_t of_open_ = 0;  // frames of the segment open_ so far
  std::int64_t of_next_ = 0;  // frames of the segment after it so far
};

}  // namespace facepipe::pipeline
