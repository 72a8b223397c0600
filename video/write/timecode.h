// The timecode of a video's first frame, as a tag tells it ("01:02:03:04").
#pragma once

#include <cstdint>
#include <string>

#include "core/geometry.h"

namespace facepipe::video {

/// The tag's name, of a file or of a stream.
inline constexpr const char* kTimecodeTag = "timecode";

/// The timecode that comes so many frames, zero or more, behind another one; empty where `text` is
/// none, or none of this rate.
[[nodiscard]] std::string later_timecode(const std::string& text, Rational frame_rate,
                                         std::int64_t frames);

}  // namespace facepipe::video
