// Corrects what a hostile stream says of its pictures beside their samples, before any code relies
// on it.
#pragma once

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Replaces impossible tags by "unspecified". FFmpeg passes on what some streams' headers say of
/// colour, range, chroma location and the shape of pixels, without a check. So numbers come that
/// its enumerations don't have. C++ must not read these as enumerations, and encoders refuse them.
/// Shapes come that no picture has. This must be called for each picture that a decoder gives, and
/// for a stream's parameters, before any other code looks at them.
void forget_unknown_tags(AVFrame& picture);
/// Does the same for a stream's parameters, and forgets an unknown order of fields.
void forget_unknown_tags(AVCodecParameters& video);

/// Returns the shape of a stream's or a picture's pixels. Returns 0/1, which means unspecified, for
/// an impossible shape: more than a thousand times as wide as high, or as high as wide.
[[nodiscard]] AVRational plausible_aspect(AVRational aspect);

}  // namespace facepipe::video
