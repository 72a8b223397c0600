// What makes pictures of one kind others, in host memory.
#pragma once

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Of a made plane's rows, for readers and writers of whole vectors; so many bytes lie behind the
/// last plane of a buffer, too.
inline constexpr int kPlaneAlignment = 64;

using UniqueBufferPool = std::unique_ptr<AVBufferPool, FFmpegDelete<av_buffer_pool_uninit>>;

/// One picture in, one picture out. Time stamps and side data pass unchanged. Used by one thread at
/// a time; pictures may outlive it. One that has thrown may still hold a picture: it is not to be
/// used again.
class PictureConverter {
 public:
  PictureConverter() = default;
  virtual ~PictureConverter() = default;
  PictureConverter(const PictureConverter&) = delete;
  PictureConverter& operator=(const PictureConverter&) = delete;

  [[nodiscard]] virtual UniqueAVFrame apply(UniqueAVFrame picture) = 0;
};

}  // namespace facepipe::video
