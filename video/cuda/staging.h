// Room for one semi-planar 4:2:0 picture: where its planes lie in one piece of memory.
#pragma once

#include <cstddef>

#include "core/frame.h"
#include "video/ffmpeg.h"

namespace facepipe {

struct PictureLayout {
  Size size;
  AVPixelFormat format = AV_PIX_FMT_NV12;  ///< NV12, P010 or P016, little endian
  int stride = 0;                          ///< bytes, of both planes; a multiple of 256
  std::size_t luma_bytes = 0;
  std::size_t bytes = 0;  ///< of both planes: luma, then chroma
};

/// The layout for samples of 8 bits (NV12), up to 10 (P010) or more (P016).
[[nodiscard]] PictureLayout picture_layout(Size size, int bits);

/// A picture over `memory` with the properties (stamps, colour, side data) of `like`. `holder` is
/// let go when nobody refers to the picture any more.
[[nodiscard]] UniqueAVFrame picture_over(std::byte* memory, const PictureLayout& layout,
                                         const AVFrame& like, std::shared_ptr<void> holder);

}  // namespace facepipe
