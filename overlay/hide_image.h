// Prepares the image of HideStyle::image for frames of one format. The image is blended onto one
// colour, so that it is opaque. It is converted to the frames' samples, and turned like the stored
// picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/frame.h"
#include "core/host_device.h"
#include "overlay/geometry.h"
#include "overlay/hide.h"

namespace facepipe::overlay {

/// Holds the prepared image. Samples have the frame's bit depth, without the format's shift. All
/// planes have full size.
struct ComposedImage {
  /// Describes the image halved 0, 1, ... times. A small mask uses a small level, because with a
  /// large level it would skip pixels.
  struct Level {
    Size size;
    std::size_t begin = 0;  ///< where the level begins in `samples`: Y, U and V one after another,
                            ///< rows without gaps

    [[nodiscard]] FACEPIPE_HOST_DEVICE std::size_t plane(std::size_t component) const {
      const auto area =
          static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
      return begin + component * area;
    }
  };

  std::vector<Level> levels;  ///< at least one; the last is a single pixel
  std::vector<std::uint16_t> samples;
  // The image was prepared for frames with these values.
  PixelFormat format;
  ColorInfo color;
  Orientation orientation;
  int matrix = 0;  ///< matrix_or_default(), which depends on the frame's size

  [[nodiscard]] bool suits(const Frame& frame) const;
};

/// Returns the first level whose width or height is less than twice the width or height of `mask`;
/// the last level if there is none. `mask` is HideMask::whole.
[[nodiscard]] const ComposedImage::Level& level_for(const ComposedImage& image,
                                                    const PixelRect& mask);

/// Prepares `image`, blended onto `color`, for frames like `frame`. The values of RgbaImage and Rgb
/// are non-linear. check_hide_options() must accept `image`.
[[nodiscard]] ComposedImage compose(const RgbaImage& image, const Rgb& color, const Frame& frame);

}  // namespace facepipe::overlay
