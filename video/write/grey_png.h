// Encodes a grey picture as the bytes of a PNG file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/geometry.h"

namespace facepipe::video {

/// @param samples  one byte for each pixel, row by row: size.width * size.height bytes; both sides
///                 are at least 1
/// Throws Error(internal) if the number of samples is wrong, or if FFmpeg has no encoder for PNG.
[[nodiscard]] std::vector<std::byte> grey_png(std::span<const std::uint8_t> samples, Size size);

}  // namespace facepipe::video
