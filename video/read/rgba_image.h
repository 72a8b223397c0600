// Reads a picture that users put on others.
#pragma once

#include <string>

#include "core/rgba_image.h"

namespace facepipe::video {

/// The first picture of a file that FFmpeg reads (PNG, JPEG, WebP, ...), turned upright. Opaque
/// where the format has no alpha. Errors: Error(input), naming the file: it can't be opened, names
/// other files, has no picture that can be decoded, or one with a side of more than
/// RgbaImage::kMostSide.
[[nodiscard]] RgbaImage read_rgba_image(const std::string& path);

}  // namespace facepipe::video
