// Corrects the tags that a hostile stream gives its pictures, before other code relies on them.
#pragma once

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Replaces impossible tags by "unspecified". FFmpeg doesn't check some tags for colour, range,
/// chroma location and pixel shape. Therefore a tag can have a number that its enumeration doesn't
/// have. C++ must not read such a number as an enumeration, and encoders refuse it. The pixel shape
/// can be impossible too. Call this function for each picture from a decoder, before any other code
/// reads the tags.
void forget_unknown_tags(AVFrame& picture);
/// Does the same for a stream's parameters, and also replaces an unknown field order.
void forget_unknown_tags(AVCodecParameters& video);

/// Returns the pixel shape of a stream or a picture. Returns 0/1, which means unspecified, for an
/// impossible shape: more than 1000 times as wide as high, or as high as wide.
[[nodiscard]] AVRational plausible_aspect(AVRational aspect);

}  // namespace facepipe::video
