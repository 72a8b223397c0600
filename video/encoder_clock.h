// An encoder's time stamps.
#pragma once

#include <cstdint>
#include <optional>

#include "core/frame.h"
#include "video/ffmpeg.h"
#include "video/notices.h"

namespace facepipe {

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

}  // namespace facepipe
