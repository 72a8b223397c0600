// Converts 8-bit planar YUV to packed RGB pixels, and rounds only once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "detector/cnn/cpu/byte_yuv.h"
#include "detector/cnn/model/model.h"

namespace facepipe::detector {

/// Multiplies each pixel by a 3 x 4 matrix, as fill_to_rgb() makes it for 8 bits, in single
/// precision. Rounds to the nearest whole value (halves to even) and clamps it to 0..255. The
/// arithmetic is that of the CUDA engine, bit for bit if the processor has fused multiply-add.
/// Chroma is repeated. Uses Highway's vectors for the processor at hand.
///
/// We use this class instead of swscale. swscale's fast code truncates, by up to 3 of 255. This
/// changes scores by 0.002 and more, which is five times as much as an engine's f16 does. swscale's
/// exact code takes 10 times as long.
///
/// Owns scratch memory. Only one thread at a time may use an object.
class PackedRgb {
 public:
  /// Writes yuv.size pixels of `channels` bytes. The first row is at `to`, and `stride` is the
  /// number of bytes from one row to the next. `channels` is 3, or 4 with a last byte of 0.
  void convert(const ByteYuv::View& yuv, const float (&to_rgb)[3][4], ChannelOrder order,
               int channels, std::uint8_t* to, std::ptrdiff_t stride);

 private:
  std::vector<std::uint8_t> u_;  ///< a row of chroma, at luma's width
  std::vector<std::uint8_t> v_;
};

}  // namespace facepipe::detector
