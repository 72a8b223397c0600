// What travels between the threads of one run.
#pragma once

#include <cstdint>
#include <memory>

#include "core/frame.h"
#include "core/slots.h"
#include "core/timing.h"
#include "video/encoder.h"
#include "video/ffmpeg.h"
#include "video/timeline.h"

namespace facepipe {

/// What a device keeps of a frame between FrameProcessor::start() and finish(). Destroyed
/// before the frame, it waits for work on it.
class FrameWork {
 public:
  virtual ~FrameWork() = default;
};

/// Decoder -> ... -> encoder: a frame and what is known of it so far.
struct WorkItem {
  Frame frame;
  FrameRecord record;
  std::int64_t segment = 0;  ///< of the stream, which it belongs to
  Timing coded;              ///< DecodedPicture::coded
  Slots::Permit in_flight;   ///< bounds the frames between decoder and encoder
  std::unique_ptr<FrameWork> work;
};

/// Encoder or demuxer -> muxer.
struct SidePacket {
  UniqueAVPacket packet;
};

}  // namespace facepipe
