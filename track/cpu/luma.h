// Makes the small luma in which motion is estimated: upright, half the picture's size, 8 bits.
#pragma once

#include <cstdint>
#include <vector>

#include "core/frame.h"
#include "core/geometry.h"

namespace facepipe::track {

/// Holds a small luma. Row y begins at samples[y * size.width].
struct Luma {
  Size picture;  ///< size of the upright picture from which the luma was made
  Size size;     ///< half of `picture`, rounded up
  std::vector<std::uint8_t> samples;

  [[nodiscard]] bool empty() const { return samples.empty(); }
};

/// Returns the small luma: the mean of each 2 x 2 pixels of the upright picture. At an odd right or
/// lower edge, it is the mean of the pixels that exist. Samples of more than 8 bits lose their
/// lower bits. For RGB (planes green, blue, red) it uses the green plane, which is good enough.
///
/// @param plane   the first plane of a picture in host memory; read only
/// @param stored  the stored picture's size
[[nodiscard]] Luma make_luma(const Plane& plane, const PixelFormat& format, Size stored,
                             Orientation orientation);

/// Returns the mean of each 2 x 2 samples of a small luma, or of any plane of 8-bit samples. The
/// result has ceil(width / 2) x ceil(height / 2) samples.
[[nodiscard]] std::vector<std::uint8_t> halved(const std::uint8_t* samples, Size size);

}  // namespace facepipe::track
