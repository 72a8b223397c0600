#include "video/bitstream/packet_hash.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <span>

namespace facepipe::video {
namespace {

// The hash of a series is the polynomial of its packets' hashes at this odd number, modulo 2^64. So
// the hash of a part follows from the hashes of what comes before the part's begin and its end.
constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;

/// Returns what the hash of a series adds to the hash if so many packets follow.
std::uint64_t followed_by(std::uint64_t hash, std::int64_t packets) {
  std::uint64_t factor = kFactor;
  for (; packets > 0; packets >>= 1U) {
    if ((packets & 1) != 0) hash *= factor;
    factor *= factor;
  }
  return hash;
}

}  // namespace

void PacketHash::add(const AVPacket& packet) {
  const std::array<std::int64_t, 5> facts{packet.pts, packet.dts, packet.duration, packet.flags,
                                          packet.size};
  of_packet_.add(std::as_bytes(std::span(facts)));
  of_packet_.add(std::as_bytes(
      std::span(packet.data, static_cast<std::size_t>(packet.data != nullptr ? packet.size : 0))));
  const MurmurHash::Value hash = of_packet_.finish();
  std::uint64_t half = 0;
  std::memcpy(&half, hash.data(), sizeof half);
  value_ = value_ * kFactor + half;
  ++packets_;
}

void PacketHash::restart() {
  value_ = 0;
  packets_ = 0;
}

std::uint64_t hash_of_last(std::uint64_t whole, std::uint64_t before, std::int64_t packets) {
  return whole - followed_by(before, packets);
}

std::uint64_t hash_of_both(std::uint64_t first, std::uint64_t second, std::int64_t packets) {
  return followed_by(first, packets) + second;
}

}  // namespace facepipe::video
