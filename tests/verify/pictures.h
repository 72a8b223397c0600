// Makes grey pictures with details of all sizes, and frames of such pictures.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "core/frame.h"
#include "tests/track/scenes.h"
#include "verify/grey.h"

namespace facepipe::test {

inline verify::Grey textured(Size size, unsigned seed) {
  verify::Grey grey{size, {}};
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      grey.samples.push_back(
          static_cast<std::uint8_t>(texture(static_cast<float>(x), static_cast<float>(y), seed)));
  return grey;
}

/// Returns a picture whose samples all have the same value.
inline verify::Grey flat(Size size, std::uint8_t value) {
  return {size,
          std::vector<std::uint8_t>(
              static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height), value)};
}

inline std::uint8_t& pixel(verify::Grey& grey, int x, int y) {
  return grey.samples[static_cast<std::size_t>(y * grey.size.width + x)];
}

inline void fill(verify::Grey& grey, const Box& box, std::uint8_t value) {
  for (int y = 0; y < grey.size.height; ++y)
    for (int x = 0; x < grey.size.width; ++x)
      if (static_cast<float>(x) >= box.x1 && static_cast<float>(x) < box.x2 &&
          static_cast<float>(y) >= box.y1 && static_cast<float>(y) < box.y2)
        pixel(grey, x, y) = value;
}

/// Returns a frame of full range that has only luma, and owns its samples.
inline Frame frame_of(const verify::Grey& grey) {
  auto samples = std::make_shared<std::vector<std::byte>>(grey.samples.size());
  std::memcpy(samples->data(), grey.samples.data(), grey.samples.size());
  Frame frame;
  frame.format.has_chroma = false;
  frame.color.full_range = true;
  frame.size = grey.size;
  frame.planes[0] = {samples->data(), grey.size.width};
  frame.owner = std::move(samples);
  return frame;
}

}  // namespace facepipe::test
