// Defines a packet of the video on its way from the demuxer to a decoder.
#pragma once

#include <cstdint>

#include "core/timing.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

struct ReadPacket {
  UniqueAVPacket packet;  ///< nullptr: the input has ended
  Interval read;
  /// The packet's picture belongs to another segment of the stream. The packet is decoded only
  /// because other pictures refer to it, and its picture is dropped. Only the other segment's
  /// ledger counts it.
  bool decode_only = false;
  std::int64_t segment = 0;  ///< index of the segment in which the packet is decoded
  /// The packet begins its segment, and no picture of the segment refers to a picture of an earlier
  /// segment.
  bool starts_independently = false;
};

}  // namespace facepipe::video
