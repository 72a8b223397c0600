#include "overlay/hide_image.h"

#include <algorithm>

#include "overlay/yuv_color.h"

namespace facepipe::overlay {
namespace {

constexpr double kOpaque = 255;

Rgb laid_on(const Rgb& color, const std::uint8_t* rgba) {
  const double share = rgba[3] / kOpaque;
  const auto mixed = [&](double under, std::uint8_t over) {
    return (1 - share) * under + share * (over / kOpaque);
  };
  return {mixed(color.r, rgba[0]), mixed(color.g, rgba[1]), mixed(color.b, rgba[2])};
}

std::size_t area_of(Size size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

/// Appends a level whose samples must still be written.
ComposedImage::Level add_level(ComposedImage& composed, Size size) {
  const ComposedImage::Level level{size, composed.samples.size()};
  composed.levels.push_back(level);
  composed.samples.resize(level.plane(3));
  return level;
}

void convert(const RgbaImage& image, const Rgb& color, const Frame& frame,
             ComposedImage& composed) {
  const YuvConverter convert(frame.format, frame.color, frame.size);
  // upright_size() swaps the sides or keeps them, so it also converts an upright size to a stored
  // size.
  const Size stored = upright_size(image.size, frame.orientation);
  const StoredMap map = stored_map(stored, frame.orientation);
  const ComposedImage::Level level = add_level(composed, stored);
  std::uint16_t* const samples = composed.samples.data() + level.begin;
  const std::size_t area = area_of(stored);
  for (int y = 0; y < stored.height; ++y)
    for (int x = 0; x < stored.width; ++x) {
      const PixelPoint from = map.upright({x, y});
      const auto pixel =
          static_cast<std::size_t>(from.y) * static_cast<std::size_t>(image.size.width) +
          static_cast<std::size_t>(from.x);
      const YuvColor yuv = convert(laid_on(color, image.bytes.data() + 4 * pixel));
      const auto at = static_cast<std::size_t>(y) * static_cast<std::size_t>(stored.width) +
                      static_cast<std::size_t>(x);
      const auto put = [&](std::size_t place, std::uint16_t sample) {
        samples[place] = static_cast<std::uint16_t>(sample >> frame.format.shift);
      };
      put(at, yuv.y);
      put(area + at, yuv.u);
      put(2 * area + at, yuv.v);
    }
}

/// Computes the means of 2x2 samples. At odd edges the last sample counts twice.
void halve(const std::uint16_t* from, Size size, std::uint16_t* to, Size half) {
  for (int y = 0; y < half.height; ++y) {
    const std::uint16_t* const upper = from + static_cast<std::ptrdiff_t>(2 * y) * size.width;
    const std::uint16_t* const lower = 2 * y + 1 < size.height ? upper + size.width : upper;
    for (int x = 0; x < half.width; ++x) {
      const int left = 2 * x;
      const int right = std::min(left + 1, size.width - 1);
      const int sum = upper[left] + upper[right] + lower[left] + lower[right];
      *to++ = static_cast<std::uint16_t>((sum + 2) / 4);
    }
  }
}

void halve_last(ComposedImage& composed) {
  const ComposedImage::Level from = composed.levels.back();
  const ComposedImage::Level to =
      add_level(composed, {(from.size.width + 1) / 2, (from.size.height + 1) / 2});
  for (std::size_t component = 0; component < 3; ++component)
    halve(composed.samples.data() + from.plane(component), from.size,
          composed.samples.data() + to.plane(component), to.size);
}

}  // namespace

bool ComposedImage::suits(const Frame& frame) const {
  return format == frame.format && color == frame.color && orientation == frame.orientation &&
         matrix == matrix_or_default(frame.color, frame.size);
}

const ComposedImage::Level& level_for(const ComposedImage& image, const PixelRect& mask) {
  const int w = 2 * (mask.x2 - mask.x1);
  const int h = 2 * (mask.y2 - mask.y1);
  return *std::ranges::find_if(image.levels, [&](const ComposedImage::Level& level) {
    const bool smallest = &level == &image.levels.back();
    return level.size.width < w || level.size.height < h || smallest;
  });
}

ComposedImage compose(const RgbaImage& image, const Rgb& color, const Frame& frame) {
  ComposedImage composed;
  composed.format = frame.format;
  composed.color = frame.color;
  composed.orientation = frame.orientation;
  composed.matrix = matrix_or_default(frame.color, frame.size);
  convert(image, color, frame, composed);
  while (area_of(composed.levels.back().size) > 1) halve_last(composed);
  return composed;
}

}  // namespace facepipe::overlay
