// Finds the packets of one part among the packets of an input.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "core/error.h"
#include "pipeline/parts/part_job.h"
#include "video/bitstream/packet_hash.h"
#include "video/bitstream/segments.h"
#include "video/ffmpeg.h"

namespace facepipe::pipeline {

/// Throws Error(input), because the input's packets aren't those that were split.
/// @param name  the name of the input
[[noreturn]] inline void refuse_other_input(const std::string& name) {
  throw Error(ErrorKind::input, name + ": is not the input that was split: its packets are others");
}

/// The packets of a part, if the Segmenter cuts the input at PartJob::cuts. Not thread-safe.
class PartPackets {
 public:
  explicit PartPackets(const PartJob& part)
      : number_(static_cast<std::int64_t>(part.number)),
        first_(part.number == 0 ? 0 : part.cuts.at(part.number - 1)),
        end_(part.number < part.cuts.size() ? part.cuts.at(part.number)
                                            : std::numeric_limits<std::int64_t>::max()) {}

  /// Takes the next packet of the video, before the Segmenter gets it.
  void see(const AVPacket& packet) {
    if (seen_ >= first_ && seen_ < end_) hash_.add(packet);
    ++seen_;
  }
  /// Returns whether a packet that the Segmenter gives is decoded in this part. If so, makes its
  /// segment number 0, because a job has no other segment.
  [[nodiscard]] bool take(video::SegmentPacket& packet) {
    if (packet.segment != number_) return false;
    if (!packet.read.packet) ended_ = true;
    packet.segment = packet.read.segment = 0;
    return true;
  }
  /// Returns whether take() has got the end of the part.
  [[nodiscard]] bool ended() const { return ended_; }
  /// Returns the hash of the part's own packets so far.
  [[nodiscard]] std::uint64_t hash() const { return hash_.value(); }

 private:
  const std::int64_t number_;
  const std::int64_t first_;
  const std::int64_t end_;
  std::int64_t seen_ = 0;
  bool ended_ = false;
  video::PacketHash hash_;
};

}  // namespace facepipe::pipeline
