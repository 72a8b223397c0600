// Makes an encoder's time stamps: of the pictures that it gets, and of the packets that it gives.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "core/frame.h"
#include "video/ffmpeg.h"
#include "video/notices.h"

namespace facepipe::video {

/// Turns frames' stamps into an encoder's time base. The stamps rise strictly. Not thread-safe.
class EncoderClock {
 public:
  EncoderClock(AVRational time_base, Notices& notices) : time_base_(time_base), notices_(notices) {}

  [[nodiscard]] AVRational time_base() const { return time_base_; }
  /// Returns the stamp of the next frame. A rounded stamp becomes a notice.
  [[nodiscard]] std::int64_t next_stamp(const Frame& frame);
  /// Returns the duration, which is never negative.
  [[nodiscard]] std::int64_t duration_of(const Frame& frame) const;

 private:
  AVRational time_base_;
  Notices& notices_;
  std::optional<std::int64_t> last_stamp_;
};

/// Makes decoding stamps as libx264 does. A packet's decoding stamp is a presentation stamp: the
/// one that stands `lead` places before its own in the rising order of all. Before the first
/// picture, `lead` stamps are made up, one frame's ticks apart. So decoding stamps rise strictly.
/// None is later than its packet's presentation if at most `lead` pictures overtake a picture.
/// Without lead both stamps are equal. Not thread-safe.
class DecodingStamps {
 public:
  /// @param lead         number of pictures, 0 or more
  /// @param frame_ticks  a frame's usual duration, at least 1
  DecodingStamps(int lead, std::int64_t frame_ticks);

  /// Takes the presentation stamp of the next picture that the encoder gets. They rise strictly.
  void sent(std::int64_t stamp);
  /// Returns the decoding stamp of the next packet that the encoder gives. Throws Error(internal)
  /// for more packets than pictures.
  [[nodiscard]] std::int64_t next();

 private:
  int lead_;
  std::int64_t frame_ticks_;
  bool begun_ = false;
  std::deque<std::int64_t> stamps_;
};

}  // namespace facepipe::video
