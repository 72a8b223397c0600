// What travels between the stages of one run.
#pragma once

#include <memory>
#include <variant>

#include "core/frame.h"
#include "core/slots.h"
#include "core/timing.h"
#include "pipeline/job.h"
#include "video/encoder.h"
#include "video/ffmpeg.h"
#include "video/muxer.h"

namespace facepipe {

/// Demuxer -> decoder.
struct ReadPacket {
  UniqueAVPacket packet;
  Interval read;
};

/// What the stages of a device keep of a frame between Stages::start() and finish(). Destroyed
/// before the frame, it waits for work on it.
class FrameWork {
 public:
  virtual ~FrameWork() = default;
};

/// Decoder -> ... -> encoder: a frame and what is known of it so far.
struct WorkItem {
  Frame frame;
  FrameRecord record;
  Slots::Permit in_flight;  ///< bounds the frames between decoder and encoder
  std::unique_ptr<FrameWork> work;
};

/// Encoder or demuxer -> muxer.
struct SidePacket {
  UniqueAVPacket packet;
};
using MuxItem = std::variant<VideoStreamInfo, EncodedFrame, SidePacket>;

}  // namespace facepipe
