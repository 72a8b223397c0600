// Hashes packets, so that a program can check that it reads the packets that another one has read.
#pragma once

#include <cstdint>

#include "video/bitstream/murmur_hash.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Hashes a series of packets: their bytes, stamps, durations and flags. It notices accidents, such
/// as a file that was replaced, and not an attack. Not thread-safe.
class PacketHash {
 public:
  void add(const AVPacket& packet);
  /// Forgets all packets.
  void restart();

  [[nodiscard]] std::uint64_t value() const { return value_; }
  [[nodiscard]] std::int64_t packets() const { return packets_; }

 private:
  MurmurHash of_packet_;
  std::uint64_t value_ = 0;
  std::int64_t packets_ = 0;
};

/// Returns the hash of the last `packets` packets of a series.
/// @param whole   the hash of the series
/// @param before  the hash of the packets before these
[[nodiscard]] std::uint64_t hash_of_last(std::uint64_t whole, std::uint64_t before,
                                         std::int64_t packets);

/// Returns the hash of two series of packets, one after the other.
/// @param packets  of the second series
[[nodiscard]] std::uint64_t hash_of_both(std::uint64_t first, std::uint64_t second,
                                         std::int64_t packets);

}  // namespace facepipe::video
