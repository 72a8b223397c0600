// Reads pixels of a frame as colours. Kernels call this.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cuda/frame_descriptor.h"
#include "core/geometry.h"
#include "detector/cnn/cuda/picture_source.h"

namespace facepipe::detector::engine {

struct Color {
  float r;
  float g;
  float b;
};

__device__ __forceinline__ float sample(const std::byte* row, int index, const Picture& a) {
  if (a.wide != 0)
    return static_cast<float>(reinterpret_cast<const std::uint16_t*>(row)[index] >> a.shift);
  return static_cast<float>(reinterpret_cast<const std::uint8_t*>(row)[index]);
}

/// Rounds a value to a whole number and clamps it to 0..255. A float of 2^23 or more has no
/// fraction, so adding 2^23 rounds; rintf() would run at a quarter of the rate.
__device__ __forceinline__ float as_byte(float value) {
  constexpr float kNoFraction = 8388608.0F;
  return __fadd_rn(__fadd_rn(fminf(fmaxf(value, 0.0F), 255.0F), kNoFraction), -kNoFraction);
}

/// Returns the part of red, green and blue that comes from the chroma of a cell of 2x2 pixels.
__device__ __forceinline__ Color chroma_at(const FrameDescriptor& frame, const Picture& a,
                                           int column, int row) {
  const std::byte* const chroma = frame.chroma + static_cast<long long>(row) * frame.chroma_stride;
  const float u = sample(chroma, 2 * column, a);
  const float v = sample(chroma, 2 * column + 1, a);
  const auto part = [&](int i) {
    const float* const m = frame.to_rgb[i];
    return fmaf(m[1], u, fmaf(m[2], v, m[3]));
  };
  return {part(0), part(1), part(2)};
}

__device__ __forceinline__ Color color_of(const FrameDescriptor& frame, const Picture& a,
                                          const Color& chroma, int x, int y) {
  const float luma = sample(frame.luma + static_cast<long long>(y) * frame.luma_stride, x, a);
  return {as_byte(fmaf(frame.to_rgb[0][0], luma, chroma.r)),
          as_byte(fmaf(frame.to_rgb[1][0], luma, chroma.g)),
          as_byte(fmaf(frame.to_rgb[2][0], luma, chroma.b))};
}

__device__ __forceinline__ Color color_at(const FrameDescriptor& frame, const Picture& a, int x,
                                          int y) {
  return color_of(frame, a, chroma_at(frame, a, x / 2, y / 2), x, y);
}

/// Returns the stored pixel of the upright pixel (x, y). This is the inverse of Orientation in
/// core/geometry.h.
__device__ __forceinline__ int2 stored_pixel(int x, int y, const Picture& a) {
  int2 place{x, y};
  switch (a.orientation.quarter_turns) {
    case 1:
      place = {y, a.scaled.height - 1 - x};
      break;
    case 2:
      place = {a.scaled.width - 1 - x, a.scaled.height - 1 - y};
      break;
    case 3:
      place = {a.scaled.width - 1 - y, x};
      break;
    default:
      break;
  }
  if (a.orientation.mirrored) place.x = a.scaled.width - 1 - place.x;
  return place;
}

__device__ __forceinline__ bool in_content(const Picture& a, int x, int y) {
  return x >= 0 && y >= 0 && x < a.content.width && y < a.content.height;
}

}  // namespace facepipe::detector::engine
