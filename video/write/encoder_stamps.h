// Computes the time stamps of the pictures that an encoder gets, and of the packets that it
// returns.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "core/frame.h"
#include "video/ffmpeg.h"
#include "video/notices.h"

namespace facepipe::video {

/// Converts frames' stamps to an encoder's time base. The resulting stamps increase strictly. Not
/// thread-safe.
class EncoderClock {
 public:
  EncoderClock(AVRational time_base, Notices& notices) : time_base_(time_base), notices_(notices) {}

  [[nodiscard]] AVRational time_base() const { return time_base_; }
  /// Returns the stamp of the next frame. If the stamp had to be rounded, a notice says so.
  [[nodiscard]] std::int64_t next_stamp(const Frame& frame);
  /// Returns the frame's duration, which is never negative.
  [[nodiscard]] std::int64_t duration_of(const Frame& frame) const;

 private:
  AVRational time_base_;
  Notices& notices_;
  std::optional<std::int64_t> last_stamp_;
};

/// Computes decoding stamps as libx264 does. Packet number n gets presentation stamp number n -
/// `lead`, counted in increasing order. Before the first presentation stamp, `lead` stamps are
/// invented, one frame's ticks apart. Therefore decoding stamps increase strictly. If at most
/// `lead` pictures are decoded before a picture but shown after it, no packet is decoded after its
/// presentation. If `lead` is 0, both stamps are equal. Not thread-safe.
class DecodingStamps {
 public:
  /// @param lead         number of pictures, 0 or more
  /// @param frame_ticks  a frame's usual duration, at least 1
  DecodingStamps(int lead, std::int64_t frame_ticks);

  /// Takes the presentation stamp of the next picture that the encoder gets. The stamps must
  /// increase strictly.
  void sent(std::int64_t stamp);
  /// Returns the decoding stamp of the next packet that the encoder gives. Throws Error(internal)
  /// if there were more packets than pictures.
  [[nodiscard]] std::int64_t next();

 private:
  int lead_;
  std::int64_t frame_ticks_;
  bool begun_ = false;
  std::deque<std::int64_t> stamps_;
};

}  // namespace facepipe::video
