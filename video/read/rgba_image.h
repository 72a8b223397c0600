// Reads a picture that is to be drawn on other pictures.
#pragma once

#include <string>

#include "core/rgba_image.h"

namespace facepipe::video {

/// Returns the first picture of a file that FFmpeg reads (PNG, JPEG, WebP, ...), turned upright.
/// The picture is opaque if the format has no alpha. Throws Error(input), which names the file, if
/// the file can't be opened, names other files, or has no picture that can be decoded, or if a side
/// of the picture is longer than RgbaImage::kMostSide.
[[nodiscard]] RgbaImage read_rgba_image(const std::string& path);

}  // namespace facepipe::video
