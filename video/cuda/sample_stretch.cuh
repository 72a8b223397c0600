// Samples of 8 to 16 bits -> 8 bits.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/frame.h"

namespace facepipe {

/// Sample of the source -> 0..255, before rounding: value * scale + offset.
struct Stretch {
  float scale;
  float offset;
};

/// To the full range of 8 bits.
inline Stretch luma_stretch(const PixelFormat& format, bool full_range) {
  const double step = std::exp2(format.bits - 8);
  if (full_range) return {static_cast<float>(255 / (256 * step - 1)), 0};
  const double scale = 255 / (219 * step);
  return {static_cast<float>(scale), static_cast<float>(-16 * step * scale)};
}

/// Likewise; colourless is 128 of 8 bits, and as many times more of more.
inline Stretch chroma_stretch(const PixelFormat& format, bool full_range) {
  const double step = std::exp2(format.bits - 8);
  const double scale = 255 / (full_range ? 256 * step - 1 : 224 * step);
  return {static_cast<float>(scale), static_cast<float>(128 - 128 * step * scale)};
}

/// @param shift  of the sample in its word
template <class Sample>
__device__ std::uint8_t stretched(Sample sample, int shift, const Stretch& stretch) {
  const auto value = static_cast<float>(static_cast<unsigned>(sample) >> shift);
  const float result = fmaf(value, stretch.scale, stretch.offset);
  return static_cast<std::uint8_t>(__float2int_rn(fminf(fmaxf(result, 0.0F), 255.0F)));
}

}  // namespace facepipe
