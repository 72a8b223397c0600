// Gives access to the bytes in FFmpeg's packets and stream parameters. All results refer to the
// argument.
#pragma once

#include <cstddef>

#include "video/bitstream/byte_reader.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Returns the data of a packet; empty if it has none.
[[nodiscard]] inline Bytes data_of(const AVPacket& packet) {
  return packet.size > 0 ? Bytes(packet.data, static_cast<std::size_t>(packet.size)) : Bytes();
}

/// Returns a packet's side data of this type; empty if it has none.
[[nodiscard]] inline Bytes side_data_of(const AVPacket& packet, AVPacketSideDataType type) {
  std::size_t size = 0;
  const std::uint8_t* const data = av_packet_get_side_data(&packet, type, &size);
  return data != nullptr ? Bytes(data, size) : Bytes();
}

/// Returns the header (extradata) of a stream; empty if it has none. For an attachment, the header
/// is the attached file.
[[nodiscard]] inline Bytes header_of(const AVCodecParameters& parameters) {
  if (parameters.extradata == nullptr || parameters.extradata_size <= 0) return {};
  return {parameters.extradata, static_cast<std::size_t>(parameters.extradata_size)};
}

}  // namespace facepipe::video
