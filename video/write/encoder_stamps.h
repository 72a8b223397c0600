// An encoder's time stamps: of the pictures that it gets, and of the packets that it gives.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "core/frame.h"
#include "video/ffmpeg.h"
#include "video/notices.h"

namespace facepipe::video {

/// Turns frames' stamps into an encoder's time base, strictly rising. Not thread-safe.
class EncoderClock {
 public:
  EncoderClock(AVRational time_base, Notices& notices) : time_base_(time_base), notices_(notices) {}

  [[nodiscard]] AVRational time_base() const { return time_base_; }
  /// The stamp of the next frame; a rounded one is told.
  [[nodiscard]] std::int64_t next_stamp(const Frame& frame);
  /// Not negative.
  [[nodiscard]] std::int64_t duration_of(const Frame& frame) const;

 private:
  AVRational time_base_;
  Notices& notices_;
  std::optional<std::int64_t> last_stamp_;
};

/// A packet's decoding stamp is the presentation stamp that stands `lead` places before its own in
/// the rising order of all, as libx264 does it; before the first there are as many frames' ticks.
/// So they rise strictly, and none is later than its packet's presentation as long as a picture is
/// overtaken by `lead` others at most. With no lead both stamps are the same. Not thread-safe.
class DecodingStamps {
 public:
  /// @param lead         pictures, 0 or more
  /// @param frame_ticks  a frame's usual duration, at least 1
  DecodingStamps(int lead, std::int64_t frame_ticks);

  /// The presentation stamp of the next picture that the encoder gets; they rise strictly.
  void sent(std::int64_t stamp);
  /// Of the next packet that it gives. Errors: Error(internal) for more packets than pictures.
  [[nodiscard]] std::int64_t next();

 private:
  int lead_;
  std::int64_t frame_ticks_;
  bool begun_ = false;
  std::deque<std::int64_t> stamps_;
};

}  // namespace facepipe::video
