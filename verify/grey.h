// Makes the planes of a whole picture, in which detail is measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/frame.h"
#include "core/geometry.h"

namespace facepipe::verify {

/// Owns one plane of an upright picture, with 8 bits a sample. 0 is black and 255 is white, even if
/// the picture has another range. Row y begins at samples[y * size.width].
struct Grey {
  Size size;
  std::vector<std::uint8_t> samples;

  [[nodiscard]] std::uint8_t at(int x, int y) const {
    return samples[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                   static_cast<std::size_t>(x)];
  }
};

/// Returns the luma of a frame in host memory. For RGB (planes green, blue, red) it returns the
/// green plane. Errors: Error(internal) for a frame that is not in host memory.
[[nodiscard]] Grey make_grey(const Frame& frame);

/// Holds all planes of a frame that may show something.
struct Planes {
  Grey luma;
  /// Two planes, or none; 128 means no colour. Subsampled planes are smaller than luma.
  std::vector<Grey> chroma;
  Grey alpha;  ///< 255 is opaque; empty if the frame has no alpha
};

/// Returns the planes of a frame in host memory. For RGB, luma is green, and chroma is blue and
/// red. Errors: as make_grey().
[[nodiscard]] Planes make_planes(const Frame& frame);

/// Returns a frame whose picture is the alpha of `frame`, in grey. The result keeps the samples
/// alive. Returns nullopt if there is no alpha, or if the alpha is nearly constant, so that it
/// shows nothing.
[[nodiscard]] std::optional<Frame> alpha_view(const Frame& frame);

/// Returns the part of `box` that lies in the picture, with at most `most_side` samples on its
/// longer side. Each sample is the mean of the samples that it replaces. The result is empty if no
/// part lies in the picture.
[[nodiscard]] Grey crop(const Grey& picture, const Box& box, int most_side);

}  // namespace facepipe::verify
