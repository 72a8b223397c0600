// Makes the picture that covers faces ready for frames of one kind. It is laid on its colour, so
// that nothing of it is transparent. It is converted to the frames' samples and turned as they are
// stored.
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

/// Samples have the frame's bit depth, without the format's shift. All planes have full size.
struct ComposedImage {
  /// Holds the image halved 0, 1, ... times. A small mask uses a small level, so that it doesn't
  /// pick single pixels.
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
  // These say for which kind of frames the image was made.
  PixelFormat format;
  ColorInfo color;
  Orientation orientation;
  int matrix = 0;  ///< matrix_or_default(), which depends on the frame's size

  [[nodiscard]] bool suits(const Frame& frame) const;
};

/// Returns the largest level that is less than twice as large as `mask` on some side. `mask` is
/// HideMask::whole.
[[nodiscard]] const ComposedImage::Level& level_for(const ComposedImage& image,
                                                    const PixelRect& mask);

/// Lays `image` over `color`. Both are non-linear, as RgbaImage and Rgb are. check_hide_options()
/// must accept `image`.
[[nodiscard]] ComposedImage compose(const RgbaImage& image, const Rgb& color, const Frame& frame);

}  // namespace facepipe::overlay
