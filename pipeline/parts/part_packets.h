// Finds the packets of one part among the packets of an input.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "core/error.h"
#include "pipeline/parts/part_job.h"
#include "video/bitstream/packet_hash.h"
#include "video/bitstream/segments.h"
#include "video/ffmpeg.h"

namespace facepipe::pipeline {

/// The packets that were read aren't those that were split.
class OtherPackets final : public Error {
 public:
  /// @param name  the name of the input
  explicit OtherPackets(const std::string& name)
      : Error(ErrorKind::input,
              name + ": is not the input that was split: its packets are others") {}
};

/// Returns the index of a part's first packet.
[[nodiscard]] inline std::int64_t first_packet(const PartJob& part) {
  return part.number == 0 ? 0 : part.cuts.at(part.number - 1);
}

/// Returns the index of the first packet behind a part's cut; nullopt if the part ends with the
/// input.
[[nodiscard]] inline std::optional<std::int64_t> end_packet(const PartJob& part) {
  if (part.number >= part.cuts.size()) return std::nullopt;
  return part.cuts[part.number];
}

/// The packets of a part. If the Segmenter cuts the input only at PartJob::cuts, they are those of
/// one segment, or of two, if the part goes on behind its cut. If the Segmenter cuts at each safe
/// place, a part that ends with its cut has all segments between two of PartJob::cuts. Not
/// thread-safe.
class PartPackets {
 public:
  /// @param seen  so many packets of the video come before those that see() gets
  explicit PartPackets(const PartJob& part, std::int64_t seen = 0)
      : two_segments_(part.next.has_value()),
        first_(first_packet(part)),
        end_(end_packet(part).value_or(kNone)),
        end_of_next_(part.next ? end_ + part.next->packets : end_),
        seen_(seen) {}

  /// Takes the next packet of the video, before the Segmenter gets it.
  void see(const AVPacket& packet) {
    if (seen_ >= first_ && seen_ < end_) hash_.add(packet);
    if (seen_ >= end_ && seen_ < end_of_next_) hash_of_next_.add(packet);
    ++seen_;
  }
  /// Returns whether a packet that the Segmenter gives is decoded in this part. If so, numbers its
  /// segment from 0 on, because a job has no segments before.
  [[nodiscard]] bool take(video::SegmentPacket& packet) {
    note_cut(packet);
    if (packet.segment < begin_ || packet.segment > last_) return false;
    if (!packet.read.packet && packet.segment == last_) ended_ = true;
    packet.segment -= begin_;
    packet.read.segment = packet.segment;
    return true;
  }
  /// Returns whether take() has got the end of the part.
  [[nodiscard]] bool ended() const { return ended_; }
  /// Returns whether the packets so far are those that the part was planned with.
  [[nodiscard]] bool are_of(const PartJob& part) const {
    return begin_ != kNone && hash_.value() == part.hash &&
           (!part.next || hash_of_next_.value() == part.next->hash);
  }

 private:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

  /// Notes which segments begin with the part, and behind it. The packets with which they begin
  /// come in two segments, but are decode_only in the segment before.
  void note_cut(const video::SegmentPacket& packet) {
    if (!packet.read.packet || packet.read.decode_only) return;
    if (packet.ordinal == first_) begin_ = packet.segment;
    if (packet.ordinal == first_ && two_segments_) last_ = begin_ + 1;
    if (packet.ordinal == end_ && !two_segments_) last_ = packet.segment - 1;
  }

  const bool two_segments_;
  const std::int64_t first_;  // indices of packets
  const std::int64_t end_;
  const std::int64_t end_of_next_;
  std::int64_t seen_;
  std::int64_t begin_ = kNone;  // numbers of segments
  std::int64_t last_ = kNone;
  bool ended_ = false;
  video::PacketHash hash_;
  video::PacketHash hash_of_next_;
};

}  // namespace facepipe::pipeline
