// A packet of the video on its way from the demuxer to a decoder.
#pragma once

#include <cstdint>

#include "core/timing.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// A packet of the video, and when it was read.
struct ReadPacket {
  UniqueAVPacket packet;  ///< nullptr: the input has ended
  Interval read;
  /// Its picture belongs to another segment of the stream: decoded for those that refer to it, then
  /// dropped. It counts in that segment's ledger alone.
  bool foreign = false;
  std::int64_t segment = 0;  ///< of the stream, that it is decoded in
  bool alone = false;        ///< it begins the segment, none of whose pictures refers to one before
};

}  // namespace facepipe::video
