// FFmpeg's parsers, for packets that hold one picture or field each.
#pragma once

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Follows one video stream, packet by packet in decoding order. Not thread-safe.
class PacketParser {
 public:
  /// Errors: Error(internal), std::bad_alloc.
  explicit PacketParser(const AVCodecParameters& parameters);

  /// What FFmpeg's parser says of the next packet, valid until the next call; nullptr where FFmpeg
  /// has no parser for the codec. What it doesn't know: key_frame is -1, pict_type and
  /// picture_structure are those that stand for that.
  const AVCodecParserContext* parse(const AVPacket& packet);

 private:
  UniqueParser parser_;
  UniqueCodecContext context_;
};

}  // namespace facepipe::video
