// Makes boxes of faces to hide, and options to hide them. The tests of CPU and CUDA use them.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/geometry.h"
#include "overlay/hide.h"

namespace facepipe::test {

struct HideCase {
  std::string name;
  std::vector<Box> faces;
};

/// Returns cases of one face: inside the picture, at and across each border, outside, tiny, huge.
inline std::vector<HideCase> single_faces(Size upright) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto w = static_cast<float>(upright.width);
  const auto h = static_cast<float>(upright.height);
  return {
      {"inside", {{w * 0.31F, h * 0.42F, w * 0.53F, h * 0.71F}}},
      {"the picture", {{0, 0, w, h}}},
      {"left", {{-w * 0.1F, h * 0.3F, w * 0.15F, h * 0.6F}}},
      {"right", {{w * 0.9F, h * 0.3F, w * 1.2F, h * 0.6F}}},
      {"top", {{w * 0.4F, -h * 0.2F, w * 0.6F, h * 0.11F}}},
      {"bottom", {{w * 0.4F, h * 0.83F, w * 0.6F, h * 1.3F}}},
      {"corner", {{w - 3.3F, h - 2.6F, w + 9, h + 7}}},
      {"outside, but not its mask", {{w + 0.5F, h * 0.3F, w + 9.5F, h * 0.7F}}},
      {"outside", {{-50, -40, -30, -20}}},
      {"a fraction of a pixel", {{w * 0.6F, h * 0.6F, w * 0.6F + 0.1F, h * 0.6F + 0.2F}}},
      {"a point", {{w * 0.5F + 0.3F, h * 0.5F + 0.3F, w * 0.5F + 0.3F, h * 0.5F + 0.3F}}},
      {"a point on a pixel's corner",
       {{std::floor(w / 2), std::floor(h / 2), std::floor(w / 2), std::floor(h / 2)}}},
      {"the picture's corner", {{0, 0, 0, 0}}},
      {"next to nothing", {{0, 0, 1e-30F, 1e-30F}}},
      {"huge", {{-w, -2 * h, 2.2F * w, 1.7F * h}}},
      {"flat", {{w * 0.1F, h * 0.5F, w * 0.8F, h * 0.5F + 1}}},
      {"high", {{w * 0.7F, h * 0.1F, w * 0.7F + 1, h * 0.9F}}},
      {"endless", {{-kInfinity, h * 0.4F, kInfinity, h * 0.6F}}},
  };
}

/// Returns cases of several faces whose masks have different areas. The picture must have at least
/// 60x60 pixels.
inline std::vector<HideCase> several_faces(Size upright) {
  const auto w = static_cast<float>(upright.width);
  const auto h = static_cast<float>(upright.height);
  const Box large{w * 0.3F, h * 0.3F, w * 0.6F, h * 0.7F};
  return {
      {"none", {}},
      {"apart", {{2, 3, 10, 15}, {w - 15, h - 12, w - 4, h - 3}}},
      {"overlapping", {large, {w * 0.55F, h * 0.5F, w * 0.8F, h * 0.75F}, {5, h * 0.6F, 24, h}}},
      {"one in the other", {{w * 0.4F, h * 0.4F, w * 0.5F, h * 0.5F}, large}},
      {"twice", {large, large}},
  };
}

inline constexpr overlay::HideStyle kHideStyles[]{
    overlay::HideStyle::solid, overlay::HideStyle::blur, overlay::HideStyle::mosaic,
    overlay::HideStyle::image};
inline const char* name_of(overlay::HideStyle style) {
  constexpr const char* kNames[]{"solid", "blur", "mosaic", "image"};
  return kNames[static_cast<int>(style)];
}

inline std::shared_ptr<const RgbaImage> noise_image(Size size, unsigned seed) {
  RgbaImage image{size, {}};
  std::mt19937 random(seed);
  for (int i = 0; i < 4 * size.width * size.height; ++i)
    image.bytes.push_back(static_cast<std::uint8_t>(random()));
  return std::make_shared<RgbaImage>(std::move(image));
}

inline overlay::HideOptions options_of(overlay::HideStyle style, overlay::MaskShape shape) {
  overlay::HideOptions options{
      .style = style, .shape = shape, .grow = overlay::default_grow(shape)};
  options.color = {0.9, 0.3, 0.1};
  // The image is so small that it must be enlarged, because the oracle can't reduce an image.
  if (style == overlay::HideStyle::image) options.image = noise_image({5, 3}, 11);
  return options;
}

/// Returns faces with random sizes and places. Many overlap, and some masks have equal areas.
inline std::vector<Box> crowd(Size size, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Box> faces;
  for (int i = 0; i < count; ++i) {
    const auto x = static_cast<float>(random() % static_cast<unsigned>(size.width));
    const auto y = static_cast<float>(random() % static_cast<unsigned>(size.height));
    const float side = random() % 3 == 0 ? 16 : 4 + static_cast<float>(random() % 40);
    faces.push_back({x, y, x + side, y + 1.25F * side});
  }
  return faces;
}

}  // namespace facepipe::test
