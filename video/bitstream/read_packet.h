// Defines a packet of the video on its way from the demuxer to a decoder.
#pragma once

#include <cstdint>

#include "core/timing.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

struct ReadPacket {
  UniqueAVPacket packet;  ///< nullptr: the input has ended
  Interval read;
  /// Its picture belongs to another segment of the stream. The packet is decoded for pictures that
  /// refer to it, and its picture is dropped. Only the other segment's ledger counts it.
  bool decode_only = false;
  std::int64_t segment = 0;  ///< index of the segment of the stream in which the packet is decoded
  /// The packet begins the segment, and no picture of the segment refers to one before.
  bool starts_independently = false;
};

}  // namespace facepipe::video
