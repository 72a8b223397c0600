// PackedRgb turns 8-bit planar YUV into packed pixels, and rounds only once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "detector/cnn/cpu/byte_yuv.h"
#include "detector/cnn/model/model.h"

namespace facepipe::detector {

/// Multiplies each pixel by a 3 x 4 matrix, as fill_to_rgb() makes it for 8 bits, in single
/// precision. It rounds to the nearest whole value (halves to the even one) and clamps it to
/// 0..255. This is the arithmetic of the CUDA engine, bit for bit if the processor has fused
/// multiply-add. Chroma is repeated. It uses Highway's vectors for the processor at hand.
///
/// It is used instead of swscale. swscale's fast code truncates, by up to 3 of 255. This changes
/// scores by 0.002 and more, five times as much as an engine's f16 does. swscale's exact code takes
/// 10 times as long.
///
/// Owns scratch memory. One thread uses it at a time.
class PackedRgb {
 public:
  /// Writes yuv.size pixels of `channels` bytes to rows that are `stride` bytes apart; the first
  /// row is at `to`. `channels` is 3, or 4 with a last byte of 0.
  void convert(const ByteYuv::View& yuv, const float (&to_rgb)[3][4], ChannelOrder order,
               int channels, std::uint8_t* to, std::ptrdiff_t stride);

 private:
  std::vector<std::uint8_t> u_;  ///< a row of chroma, at luma's width
  std::vector<std::uint8_t> v_;
};

}  // namespace facepipe::detector
