// What only the order of the whole stream says of a frame.
#pragma once

#include <cstdint>
#include <optional>

#include "core/frame.h"
#include "pipeline/lanes/order.h"
#include "video/notices.h"
#include "video/read/demuxer.h"
#include "video/read/timeline.h"
#include "video/write/encoder_stamps.h"

namespace facepipe::pipeline {

/// Numbers and stamps frames of several lanes, as one decoder and one encoder would have done it.
/// Each lane knows only its own segments. Not thread-safe.
class Presentation {
 public:
  /// @param encoder  any lane's; nullptr if no video is written
  Presentation(const video::Demuxer& demuxer, const video::Encoder* encoder,
               video::Notices& notices);

  /// Index, stamp and duration of the next frame in presentation order; it has no picture.
  [[nodiscard]] Frame next(const video::Timing& coded);

  /// The same for a finished frame: sets the record's index and time, and the packet's stamps.
  void restamp(FinishedFrame& frame);

 private:
  video::Timeline timeline_;
  std::optional<video::EncoderClock> clock_;
  std::int64_t next_index_ = 0;
};

}  // namespace facepipe::pipeline
