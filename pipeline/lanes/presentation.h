// Computes the values of a frame that depend on all frames before it.
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

/// Gives frames of several lanes the numbers and time stamps that a single lane would give them. A
/// lane can't do this, because it knows only its own segments. Not thread-safe.
class Presentation {
 public:
  /// @param encoder  the encoder of any lane; nullptr if no video is written
  Presentation(const video::Demuxer& demuxer, const video::Encoder* encoder,
               video::Notices& notices);

  /// Returns a frame without a picture, which has the index, time stamp and duration of the next
  /// frame in presentation order.
  [[nodiscard]] Frame next(const video::Timing& coded);

  /// Calls next() for a finished frame, and sets the record's index and time and the packet's time
  /// stamps.
  void restamp(FinishedFrame& frame);

 private:
  video::Timeline timeline_;
  std::optional<video::EncoderClock> clock_;
  std::int64_t next_index_ = 0;
};

}  // namespace facepipe::pipeline
