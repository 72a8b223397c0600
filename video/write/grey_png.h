// A grey picture as a PNG file's bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/geometry.h"

namespace facepipe::video {

/// @param samples  a byte a pixel, row by row: size.width * size.height of them; sides of 1 and
/// more Errors: Error(internal) for a number of samples that doesn't fit, or where FFmpeg has no
/// encoder.
[[nodiscard]] std::vector<std::byte> grey_png(std::span<const std::uint8_t> samples, Size size);

}  // namespace facepipe::video
