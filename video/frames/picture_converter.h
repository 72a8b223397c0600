// Defines the interface of converters, which convert pictures of one kind to another in host
// memory.
#pragma once

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Alignment of the rows of a new plane, in bytes. The same number of bytes follows the last plane
/// of a buffer. Therefore code can read and write whole vectors.
inline constexpr int kPlaneAlignment = 64;

using UniqueBufferPool = std::unique_ptr<AVBufferPool, FFmpegDelete<av_buffer_pool_uninit>>;

/// Converts pictures one at a time. Time stamps and side data stay unchanged. Only one thread at a
/// time may use it. Its pictures may outlive it. A converter that has thrown can still hold a
/// picture, so it must not be used again.
class PictureConverter {
 public:
  PictureConverter() = default;
  virtual ~PictureConverter() = default;
  PictureConverter(const PictureConverter&) = delete;
  PictureConverter& operator=(const PictureConverter&) = delete;

  [[nodiscard]] virtual UniqueAVFrame apply(UniqueAVFrame picture) = 0;
};

}  // namespace facepipe::video
