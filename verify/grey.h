// The planes of a whole picture, as detail is measured in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/frame.h"
#include "core/geometry.h"

namespace facepipe {

/// Upright, 8 bits a sample, 0 black and 255 white whatever range the picture was coded in. Owns
/// its samples; row y begins at samples[y * size.width].
struct Grey {
  Size size;
  std::vector<std::uint8_t> samples;

  [[nodiscard]] std::uint8_t at(int x, int y) const {
    return samples[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                   static_cast<std::size_t>(x)];
  }
};

/// Of a frame in host memory. Of RGB (planes green, blue, red) it is the green plane. Errors:
/// Error(internal) for a frame elsewhere.
[[nodiscard]] Grey make_grey(const Frame& frame);

/// All planes of a frame in which something may be seen.
struct Planes {
  Grey luma;
  std::vector<Grey> chroma;  ///< two, or none; 128 is no colour; smaller where they are subsampled
  Grey alpha;                ///< 255 is opaque; empty where the frame has none
};

/// Of a frame in host memory. Of RGB luma is green, and chroma blue and red. Errors: as
/// make_grey().
[[nodiscard]] Planes make_planes(const Frame& frame);

/// A frame whose picture is another one's alpha, in grey; it keeps the samples alive. None where
/// there is no alpha, or one that is nearly flat and shows nothing.
[[nodiscard]] std::optional<Frame> alpha_view(const Frame& frame);

/// What of `box` lies in the picture, with at most `most_side` samples on its longer side: the mean
/// of those that fall on one. Empty where nothing lies in it.
[[nodiscard]] Grey crop(const Grey& picture, const Box& box, int most_side);

}  // namespace facepipe
