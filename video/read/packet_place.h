// Goes to a packet in the middle of an input, so that the packets before it need not be read.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "video/bitstream/read_packet.h"

namespace facepipe::video {

class Demuxer;

/// Says where packets of the video are, and how to know that these are the ones.
struct PacketPlace {
  std::int64_t index = 0;    ///< of the first of these packets, among all packets of the video
  std::int64_t dts = 0;      ///< AVPacket::dts of the first packet
  std::int64_t pos = 0;      ///< AVPacket::pos of the first packet, which no other packet has
  std::int64_t packets = 0;  ///< so many packets; at least 1
  std::uint64_t hash = 0;    ///< PacketHash of the packets
  friend bool operator==(const PacketPlace&, const PacketPlace&) = default;
};

/// Moves the demuxer to the place, and reads its packets. Drops the packets of other streams that
/// it meets. The demuxer then goes on behind these packets as if it had read the whole input.
/// Returns nullopt if the input can't be sought, or if the demuxer gives other packets after it was
/// moved: FFmpeg guesses stamps and durations that a container lacks, and does so from the packets
/// before. The demuxer is then at some other place, so the input must be opened again.
[[nodiscard]] std::optional<std::deque<ReadPacket>> go_to(Demuxer& demuxer,
                                                          const PacketPlace& place);

}  // namespace facepipe::video
