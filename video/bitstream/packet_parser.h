// Wraps FFmpeg's parsers, for packets that contain one picture or one field each.
#pragma once

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Parses the packets of one video stream, in decoding order. Not thread-safe.
class PacketParser {
 public:
  /// Errors: Error(internal), std::bad_alloc.
  explicit PacketParser(const AVCodecParameters& parameters);

  /// Returns what FFmpeg's parser says about the next packet. The result is valid until the next
  /// call. Returns nullptr if FFmpeg has no parser for the codec. If the parser doesn't know a
  /// fact, key_frame is -1, pict_type is AV_PICTURE_TYPE_NONE, or picture_structure is
  /// AV_PICTURE_STRUCTURE_UNKNOWN.
  const AVCodecParserContext* parse(const AVPacket& packet);

 private:
  UniqueParser parser_;
  UniqueCodecContext context_;
};

}  // namespace facepipe::video
