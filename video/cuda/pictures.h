// Defines helpers for frames in device memory, and the layout of the pictures in that memory.
#pragma once

#include <cstddef>
#include <memory>

#include "core/copies.h"
#include "core/cuda/buffer.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "core/frame.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Throws Error(internal) for a frame that isn't semi-planar 4:2:0 on CUDA.
void expect_device_picture(const Frame& frame);

/// Makes `event` the frame's Frame::ready. frame.owner then keeps the event alive.
void attach_ready(Frame& frame, std::shared_ptr<const cuda::Event> event);

/// Makes later work of `stream` wait until the frame's samples are complete (Frame::ready).
void hold_back_until_ready(const Frame& frame, cuda::StreamView stream);

struct PictureLayout {
  Size size;
  AVPixelFormat format = AV_PIX_FMT_NV12;  ///< NV12, P010 or P016, little endian
  int stride = 0;                          ///< bytes from row to row, in each plane; a multiple of
                                           ///< 256
  std::size_t luma_bytes = 0;
  std::size_t bytes = 0;  ///< bytes of both planes: luma, then chroma
};

/// Returns the layout for samples of 8 bits (NV12), 9 or 10 bits (P010), or more bits (P016).
[[nodiscard]] PictureLayout picture_layout(Size size, int bits);

/// Makes a picture whose samples are in `memory`. It has the properties (stamps, colour, side data)
/// of `like`. `holder` is released when nobody refers to the picture any more.
[[nodiscard]] UniqueAVFrame picture_over(std::byte* memory, const PictureLayout& layout,
                                         const AVFrame& like, std::shared_ptr<void> holder);

}  // namespace facepipe::video
