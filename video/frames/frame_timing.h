// Says when a frame is shown, and for how long.
#pragma once

#include <cstdint>

namespace facepipe::video {

/// Holds a presentation stamp and a duration in the video stream's time base.
struct Timing {
  std::int64_t pts = 0;
  std::int64_t duration = 0;
};

}  // namespace facepipe::video
