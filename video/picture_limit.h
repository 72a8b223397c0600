// The bound on a picture's pixels, kept before a decoder allocates the picture.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/geometry.h"

namespace facepipe::video {

/// Throws Error(input), naming the file, the size, the limit and the option, for a picture of more
/// than `max_pixels`.
void check_pixels(const std::string& file, Size picture, std::int64_t max_pixels);

/// What to give to libavcodec as AVCodecContext::max_pixels: it counts the padding of rows and
/// macroblocks, too, for which there is some room more. What lies between is check_pixels()'s.
[[nodiscard]] std::int64_t codec_max_pixels(std::int64_t max_pixels);

/// libavcodec refuses a size with one of several error codes, or none, and forgets it; its log
/// alone says which size it was. The last one refused since the last call, by any decoder of this
/// process; nullopt if none was. Known once redirect_ffmpeg_log() was called.
[[nodiscard]] std::optional<Size> take_refused_size();

/// To be called with each line of libavcodec's log.
void watch_for_refused_size(const char* line);

}  // namespace facepipe::video
