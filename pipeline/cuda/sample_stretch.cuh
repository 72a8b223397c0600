// Samples of 8 to 16 bits -> 8 bits.
#pragma once

#include <cstdint>

namespace facepipe {

/// Sample of the source -> 0..255, before rounding: value * scale + offset.
struct Stretch {
  float scale;
  float offset;
};

/// @param shift  of the sample in its word
template <class Sample>
__device__ std::uint8_t stretched(Sample sample, int shift, const Stretch& stretch) {
  const auto value = static_cast<float>(static_cast<unsigned>(sample) >> shift);
  const float result = fmaf(value, stretch.scale, stretch.offset);
  return static_cast<std::uint8_t>(__float2int_rn(fminf(fmaxf(result, 0.0F), 255.0F)));
}

}  // namespace facepipe
