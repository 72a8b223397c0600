// Reads the packets of a file, and makes a packet of given bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <new>
#include <string_view>
#include <vector>

#include "video/read/demuxer.h"

namespace facepipe::test {

struct FilePacket {
  int stream = 0;
  std::int64_t pts = 0;
  std::int64_t dts = 0;
  std::int64_t duration = 0;
  int flags = 0;
  std::size_t hash = 0;  ///< hash of the packet's bytes
  int size = 0;          ///< in bytes
  friend bool operator==(const FilePacket&, const FilePacket&) = default;
};

/// Returns the packets of all streams, in the order of the file.
inline std::vector<FilePacket> packets_of(const std::filesystem::path& file) {
  video::Demuxer demuxer(file.string(), {});
  std::vector<FilePacket> packets;
  while (const video::UniqueAVPacket packet = demuxer.read()) {
    const std::string_view bytes(reinterpret_cast<const char*>(packet->data),
                                 static_cast<std::size_t>(packet->size));
    packets.push_back({packet->stream_index, packet->pts, packet->dts, packet->duration,
                       packet->flags, std::hash<std::string_view>()(bytes), packet->size});
  }
  return packets;
}

/// Returns a packet with these bytes.
/// @param flags  AV_PKT_FLAG_...
inline video::UniqueAVPacket packet_of(const std::vector<std::uint8_t>& bytes,
                                       int flags = AV_PKT_FLAG_KEY) {
  video::UniqueAVPacket packet = video::new_av_packet();
  if (av_new_packet(packet.get(), static_cast<int>(bytes.size())) < 0) throw std::bad_alloc();
  std::ranges::copy(bytes, packet->data);
  packet->flags = flags;
  return packet;
}

}  // namespace facepipe::test
