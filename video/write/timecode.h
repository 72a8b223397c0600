// Moves the timecode of a video's first frame. A tag contains this timecode ("01:02:03:04").
#pragma once

#include <cstdint>
#include <string>

#include "core/geometry.h"

namespace facepipe::video {

/// Name of the timecode's tag, in a file or in a stream.
inline constexpr const char* kTimecodeTag = "timecode";

/// Returns the timecode that comes `frames` frames (zero or more) after `text`. Returns an empty
/// text if `text` isn't a timecode for this frame rate.
[[nodiscard]] std::string later_timecode(const std::string& text, Rational frame_rate,
                                         std::int64_t frames);

}  // namespace facepipe::video
