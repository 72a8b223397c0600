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
  bool foreign = false;
  std::int64_t segment = 0;  ///< index of the segment of the stream in which the packet is decoded
  bool alone = false;        ///< it begins the segment, and no picture of the segment refers to one
                             ///< before
};

}  // namespace facepipe::video
