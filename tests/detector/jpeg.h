// Reads a JPEG file as a frame, decoded by FFmpeg.
#pragma once

#include <filesystem>

#include "core/frame.h"

namespace facepipe::test {

/// Returns 8-bit planar YUV in full range, BT.601. Throws std::runtime_error, which names the file.
[[nodiscard]] Frame read_jpeg(const std::filesystem::path& file);

}  // namespace facepipe::test
