// FFmpeg's parsers, for packets that hold one picture or one field each.
#pragma once

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Follows one video stream, packet by packet in decoding order. Not thread-safe.
class PacketParser {
 public:
  /// Errors: Error(internal), std::bad_alloc.
  explicit PacketParser(const AVCodecParameters& parameters);

  /// Returns what FFmpeg's parser says of the next packet, valid until the next call. Returns
  /// nullptr if FFmpeg has no parser for the codec. Facts that the parser doesn't know have
  /// key_frame -1, pict_type AV_PICTURE_TYPE_NONE and picture_structure
  /// AV_PICTURE_STRUCTURE_UNKNOWN.
  const AVCodecParserContext* parse(const AVPacket& packet);

 private:
  UniqueParser parser_;
  UniqueCodecContext context_;
};

}  // namespace facepipe::video
