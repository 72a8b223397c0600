#include "detector/to_rgb.h"

#include "core/color.h"

namespace facepipe {

void fill_to_rgb(float (&to_rgb)[3][4], const ColorInfo& color, const PixelFormat& format,
                 Size size) {
  constexpr double kWhite = 255;
  const ColorMap map = rgb_of_samples(color, format, size);
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 4; ++column)
      to_rgb[row][column] = static_cast<float>(kWhite * map[row][column]);
}

}  // namespace facepipe
