// Reads and hashes the samples of a decoded picture.
#pragma once

extern "C" {
#include <libavutil/imgutils.h>
}

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "video/ffmpeg.h"

namespace facepipe::test {

/// Returns the bytes of all planes, without the padding at the end of each row.
inline std::string samples_of(const AVFrame& picture) {
  const auto format = static_cast<AVPixelFormat>(picture.format);
  const int size = av_image_get_buffer_size(format, picture.width, picture.height, 1);
  std::string bytes(static_cast<std::size_t>(std::max(size, 0)), '\0');
  av_image_copy_to_buffer(reinterpret_cast<std::uint8_t*>(bytes.data()), size, picture.data,
                          picture.linesize, format, picture.width, picture.height, 1);
  return bytes;
}

inline std::size_t hash_of(const AVFrame& picture) {
  return std::hash<std::string>()(samples_of(picture));
}

}  // namespace facepipe::test
