// The interface of what converts pictures of one kind to another kind, in host memory.
#pragma once

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Alignment of a made plane's rows, in bytes, for readers and writers of whole vectors. As many
/// bytes lie after the last plane of a buffer, too.
inline constexpr int kPlaneAlignment = 64;

using UniqueBufferPool = std::unique_ptr<AVBufferPool, FFmpegDelete<av_buffer_pool_uninit>>;

/// Takes one picture and gives one picture. Time stamps and side data pass unchanged. Used by one
/// thread at a time. Pictures may outlive it. A converter that has thrown may still hold a picture,
/// so it must not be used again.
class PictureConverter {
 public:
  PictureConverter() = default;
  virtual ~PictureConverter() = default;
  PictureConverter(const PictureConverter&) = delete;
  PictureConverter& operator=(const PictureConverter&) = delete;

  [[nodiscard]] virtual UniqueAVFrame apply(UniqueAVFrame picture) = 0;
};

}  // namespace facepipe::video
