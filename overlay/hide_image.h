// The picture that covers faces, made ready for frames of one kind: laid on its colour, so that
// nothing of it is transparent, converted to their samples and turned as they are stored.
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

/// Samples of the frame's bit depth, the format's shift undone, of full size in all planes.
struct ComposedImage {
  /// The image halved 0, 1, ... times, so that a small mask doesn't pick single pixels out of it.
  struct Level {
    Size size;
    std::size_t begin = 0;  ///< in `samples`: Y, U and V one after another, rows without gaps

    [[nodiscard]] FACEPIPE_HOST_DEVICE std::size_t plane(std::size_t component) const {
      const auto area =
          static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
      return begin + component * area;
    }
  };

  std::vector<Level> levels;  ///< at least one; the last is a single pixel
  std::vector<std::uint16_t> samples;
  // What it was made for.
  PixelFormat format;
  ColorInfo color;
  Orientation orientation;
  int matrix = 0;  ///< matrix_or_default(), which depends on the frame's size

  [[nodiscard]] bool suits(const Frame& frame) const;
};

/// The largest level that is on some side less than twice as large as `mask`, HideMask::whole.
[[nodiscard]] const ComposedImage::Level& level_for(const ComposedImage& image,
                                                    const PixelRect& mask);

/// `image` over `color`, both non-linear as RgbaImage and Rgb are. `image` as check_hide_options()
/// lets it pass.
[[nodiscard]] ComposedImage compose(const RgbaImage& image, const Rgb& color, const Frame& frame);

}  // namespace facepipe::overlay
