// Reads a picture that users put on other pictures.
#pragma once

#include <string>

#include "core/rgba_image.h"

namespace facepipe::video {

/// Returns the first picture of a file that FFmpeg reads (PNG, JPEG, WebP, ...), turned upright. It
/// is opaque if the format has no alpha. Throws Error(input) that names the file if the file can't
/// be opened, names other files, has no picture that can be decoded, or if the picture has a side
/// of more than RgbaImage::kMostSide.
[[nodiscard]] RgbaImage read_rgba_image(const std::string& path);

}  // namespace facepipe::video
