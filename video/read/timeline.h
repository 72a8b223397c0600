// Decides when frames are shown: the chosen range, missing stamps, stamps that don't increase.
#pragma once

#include <cstdint>
#include <optional>

#include "core/geometry.h"
#include "video/frames/frame_timing.h"
#include "video/notices.h"
#include "video/read/demuxer.h"

namespace facepipe::video {

/// Gives every decoded frame a stamp that is larger than the previous stamp. Not thread-safe.
class Timeline {
 public:
  /// @param start_s, end_s  seconds after the input's first stamp; the range is [start, end)
  Timeline(const Demuxer& demuxer, std::optional<double> start_s, std::optional<double> end_s,
           Notices& notices);

  /// Returns whether a stamp, in `time_base`, lies in the chosen range.
  [[nodiscard]] bool in_range(std::int64_t stamp, AVRational time_base) const;
  [[nodiscard]] bool after_range(std::int64_t stamp, AVRational time_base) const;

  /// Returns the stamp and the duration of the next frame in presentation order. Pass
  /// AV_NOPTS_VALUE for an unknown `pts`, and 0 for an unknown `duration`.
  [[nodiscard]] Timing next(std::int64_t pts, std::int64_t duration);

  /// Forgets the last frame, because the next frame doesn't follow it.
  void restart() { last_.reset(); }

  [[nodiscard]] AVRational time_base() const { return time_base_; }

 private:
  AVRational time_base_;
  std::int64_t frame_duration_;  ///< duration of one frame at the average rate, at least 1
  bool synthesize_;
  std::optional<std::int64_t> start_us_;
  std::optional<std::int64_t> end_us_;
  std::optional<Timing> last_;
  Notices& notices_;
};

}  // namespace facepipe::video
