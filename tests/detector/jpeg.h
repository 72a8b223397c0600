// Reads a JPEG file as a frame. FFmpeg decodes it.
#pragma once

#include <filesystem>

#include "core/frame.h"

namespace facepipe::test {

/// Returns 8-bit planar YUV in full range, BT.601. If it fails, throws std::runtime_error with the
/// file's name.
[[nodiscard]] Frame read_jpeg(const std::filesystem::path& file);

}  // namespace facepipe::test
