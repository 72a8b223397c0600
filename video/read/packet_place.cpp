#include "video/read/packet_place.h"

#include <array>
#include <utility>

#include "video/bitstream/packet_hash.h"
#include "video/read/demuxer.h"
#include "video/read/first_picture.h"

namespace facepipe::video {
namespace {

// If the packets are others because FFmpeg guesses from earlier packets, it helps to begin earlier.
constexpr std::array<std::int64_t, 3> kSecondsBefore{0, 3, 20};

/// The most bytes of packets before the place that are read, and the most bytes of its packets.
constexpr std::int64_t kMostBytes = std::int64_t{128} << 20;

/// Reads the packets of the place, if the demuxer is before them.
std::optional<std::deque<ReadPacket>> read_at(Demuxer& demuxer, const PacketPlace& place) {
  std::deque<ReadPacket> found;
  PacketHash hash;
  std::int64_t bytes = 0;
  while (bytes <= kMostBytes) {
    ReadPacket item = read_packet(demuxer);
    if (!item.packet) return std::nullopt;
    const AVPacket& packet = *item.packet;
    bytes += packet.size;
    if (packet.stream_index != demuxer.video_index()) continue;
    if (found.empty() && packet.pos > place.pos) return std::nullopt;
    if (found.empty() && packet.pos != place.pos) continue;
    if (found.empty()) bytes = packet.size;
    hash.add(packet);
    found.push_back(std::move(item));
    if (hash.packets() < place.packets) continue;
    return hash.value() == place.hash ? std::optional(std::move(found)) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::deque<ReadPacket>> go_to(Demuxer& demuxer, const PacketPlace& place) {
  const AVRational second{1, 1};
  for (const std::int64_t before_s : kSecondsBefore) {
    const std::int64_t before = av_rescale_q(before_s, second, demuxer.video().time_base);
    if (!demuxer.seek(demuxer.video_index(), place.dts - before, 0)) return std::nullopt;
    std::optional<std::deque<ReadPacket>> found = read_at(demuxer, place);
    if (!demuxer.read_error().empty()) return std::nullopt;
    if (!found) continue;
    demuxer.has_read(place.index + place.packets);
    return found;
  }
  return std::nullopt;
}

}  // namespace facepipe::video
