// Gives access to the bytes that FFmpeg's packets and stream parameters hold. All results refer to
// their argument.
#pragma once

#include <cstddef>

#include "video/bitstream/byte_reader.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Returns what a packet holds; empty if it holds nothing.
[[nodiscard]] inline Bytes data_of(const AVPacket& packet) {
  return packet.size > 0 ? Bytes(packet.data, static_cast<std::size_t>(packet.size)) : Bytes();
}

/// Returns a packet's side data of this type; empty if it has none.
[[nodiscard]] inline Bytes side_data_of(const AVPacket& packet, AVPacketSideDataType type) {
  std::size_t size = 0;
  const std::uint8_t* const data = av_packet_get_side_data(&packet, type, &size);
  return data != nullptr ? Bytes(data, size) : Bytes();
}

/// Returns the header (extradata) of a stream, which is the file if the stream is an attachment;
/// empty if it has none.
[[nodiscard]] inline Bytes header_of(const AVCodecParameters& parameters) {
  if (parameters.extradata == nullptr || parameters.extradata_size <= 0) return {};
  return {parameters.extradata, static_cast<std::size_t>(parameters.extradata_size)};
}

}  // namespace facepipe::video
