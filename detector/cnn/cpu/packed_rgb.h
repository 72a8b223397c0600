// 8-bit planar YUV to packed pixels, rounded once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "detector/cnn/cpu/byte_yuv.h"
#include "detector/cnn/model/model.h"

namespace facepipe::detector {

/// Multiplies each pixel by a 3 x 4 matrix as fill_to_rgb() makes it for 8 bits, in single
/// precision, rounds to the nearest whole value (halves to the even one) and clamps it to 0..255:
/// the arithmetic of the CUDA engine, bit for bit where the processor has fused multiply-add.
/// Chroma is repeated. By Highway's vectors, whatever the processor has.
///
/// Why not swscale: its fast code truncates, by up to 3 of 255, which moves scores by 0.002 and
/// more, five times what an engine's f16 does; its exact code takes 10 times as long.
///
/// Owns scratch memory; used by one thread at a time.
class PackedRgb {
 public:
  /// Writes yuv.size pixels of `channels` (3, or 4 of which the last is 0) bytes to rows `stride`
  /// bytes apart, the first at `to`.
  void convert(const ByteYuv::View& yuv, const float (&to_rgb)[3][4], ChannelOrder order,
               int channels, std::uint8_t* to, std::ptrdiff_t stride);

 private:
  std::vector<std::uint8_t> u_;  ///< a row of chroma, at the width of luma
  std::vector<std::uint8_t> v_;
};

}  // namespace facepipe::detector
