// Makes the planes of a whole picture, in which detail is measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/frame.h"
#include "core/geometry.h"

namespace facepipe::verify {

/// Holds one plane of an upright picture, with 8 bits a sample: 0 is black and 255 white whatever
/// range the picture was coded in. It owns its samples; row y begins at samples[y * size.width].
struct Grey {
  Size size;
  std::vector<std::uint8_t> samples;

  [[nodiscard]] std::uint8_t at(int x, int y) const {
    return samples[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                   static_cast<std::size_t>(x)];
  }
};

/// Makes the luma of a frame in host memory. Of RGB (planes green, blue, red) it takes the green
/// plane. Errors: Error(internal) for a frame elsewhere.
[[nodiscard]] Grey make_grey(const Frame& frame);

/// Holds all planes of a frame in which something may be seen.
struct Planes {
  Grey luma;
  std::vector<Grey> chroma;  ///< two, or none; 128 is no colour; smaller where they are subsampled
  Grey alpha;                ///< 255 is opaque; empty where the frame has none
};

/// Makes the planes of a frame in host memory. Of RGB luma is green, and chroma is blue and red.
/// Errors: as make_grey().
[[nodiscard]] Planes make_planes(const Frame& frame);

/// Returns a frame whose picture is another one's alpha, in grey; it keeps the samples alive. There
/// is none where there is no alpha, or one that is nearly flat and shows nothing.
[[nodiscard]] std::optional<Frame> alpha_view(const Frame& frame);

/// Cuts out what of `box` lies in the picture, with at most `most_side` samples on its longer side:
/// each is the mean of those that fall on it. The result is empty where nothing lies in it.
[[nodiscard]] Grey crop(const Grey& picture, const Box& box, int most_side);

}  // namespace facepipe::verify
