// The small luma in which motion is looked for: half the picture's size, 8 bits, upright.
#pragma once

#include <cstdint>
#include <vector>

#include "core/frame.h"
#include "core/geometry.h"

namespace facepipe::track {

/// Owns its samples; row y begins at samples[y * size.width]. Empty where nothing is known of the
/// picture.
struct Luma {
  Size picture;  ///< the upright picture that it was made from
  Size size;     ///< half of that, rounded up
  std::vector<std::uint8_t> samples;

  [[nodiscard]] bool empty() const { return samples.empty(); }
};

/// The mean of each 2 x 2 pixels of the upright picture; at an odd right or lower edge, of the
/// pixels that are there. Samples of more than 8 bits lose their lower ones. Of RGB (planes green,
/// blue, red) it is the green plane's, which serves as well.
///
/// @param plane   the first plane of a picture in host memory; read only
/// @param stored  the stored picture's size
[[nodiscard]] Luma make_luma(const Plane& plane, const PixelFormat& format, Size stored,
                             Orientation orientation);

/// The same of a small luma, or of any samples of 8 bits: ceil(width / 2) x ceil(height / 2).
[[nodiscard]] std::vector<std::uint8_t> halved(const std::uint8_t* samples, Size size);

}  // namespace facepipe::track
