// Moves the timecode of a video's first frame, which a tag tells ("01:02:03:04").
#pragma once

#include <cstdint>
#include <string>

#include "core/geometry.h"

namespace facepipe::video {

/// Name of the tag, in a file or in a stream.
inline constexpr const char* kTimecodeTag = "timecode";

/// Returns the timecode that comes `frames` frames (zero or more) after `text`; empty if `text` is
/// no timecode, or none of this rate.
[[nodiscard]] std::string later_timecode(const std::string& text, Rational frame_rate,
                                         std::int64_t frames);

}  // namespace facepipe::video
