// What a hostile stream says of its pictures beside their samples, before anything relies on it.
#pragma once

#include "video/ffmpeg.h"

namespace facepipe::video {

/// FFmpeg passes on what some streams' headers say of colour, range, chroma location and the shape
/// of pixels, whatever it is: numbers that its enumerations don't have, which no C++ may read as
/// such and encoders refuse, and shapes that no picture has. All these become "unspecified". To be
/// called for each picture that a decoder gives, and for a stream's parameters, before anything
/// else looks at them.
void forget_unknown_tags(AVFrame& picture);
/// Does the same for a stream's parameters, and forgets an unknown order of fields.
void forget_unknown_tags(AVCodecParameters& video);

/// Returns the shape of a stream's or a picture's pixels, or 0/1, which means unspecified, where no
/// pixels are so: more than a thousand times as wide as high, or as high as wide.
[[nodiscard]] AVRational plausible_aspect(AVRational aspect);

}  // namespace facepipe::video
