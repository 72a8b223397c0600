// Checks the limit on a picture's pixels before a decoder allocates the picture.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/geometry.h"

namespace facepipe::video {

/// Throws Error(input) for a picture of more than `max_pixels`. The error names the file, the size,
/// the limit and the option.
void check_pixels(const std::string& file, Size picture, std::int64_t max_pixels);

/// Returns the value for libavcodec's AVCodecContext::max_pixels. libavcodec also counts the
/// padding of rows and macroblocks, so this value is somewhat larger than `max_pixels`.
/// check_pixels() refuses pictures between these two limits.
[[nodiscard]] std::int64_t codec_max_pixels(std::int64_t max_pixels);

/// Returns the last picture size that any decoder of this process has refused since the previous
/// call; nullopt if none was refused. libavcodec writes this size only to its log. Therefore this
/// function works only after redirect_ffmpeg_log() was called.
[[nodiscard]] std::optional<Size> take_refused_size();

/// Looks for a refused size in a line of libavcodec's log. Must be called with each line.
void watch_for_refused_size(const char* line);

}  // namespace facepipe::video
