// Defines sizes, points and boxes, and the eight ways in which a picture can be stored turned or
// mirrored.
#pragma once

#include <cstdint>
#include <string>

#include "core/host_device.h"

namespace facepipe {

/// Holds width and height in pixels.
struct Size {
  int width = 0;
  int height = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

/// Returns a text such as "1920x1080".
[[nodiscard]] inline std::string to_string(Size size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

/// Holds a position in pixels; (0, 0) is the outer corner of the top left pixel.
struct Point {
  float x = 0;
  float y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

/// Holds a half-open box, in pixels: x1 <= x < x2, y1 <= y < y2. Its width is exactly x2 - x1.
struct Box {
  float x1 = 0;
  float y1 = 0;
  float x2 = 0;
  float y2 = 0;
  [[nodiscard]] float width() const { return x2 - x1; }
  [[nodiscard]] float height() const { return y2 - y1; }
  friend bool operator==(const Box&, const Box&) = default;
};

/// Returns the part of `box` that lies in the picture.
[[nodiscard]] FACEPIPE_HOST_DEVICE constexpr Box clipped(const Box& box, Size picture) {
  const auto within = [](float value, int length) {
    const auto most = static_cast<float>(length);
    return value < 0 ? 0 : value > most ? most : value;
  };
  return {within(box.x1, picture.width), within(box.y1, picture.height),
          within(box.x2, picture.width), within(box.y2, picture.height)};
}

/// Holds a fraction, like FFmpeg's AVRational but without FFmpeg. den > 0 if the value is known;
/// den = 0 if it is unknown.
struct Rational {
  int num = 0;
  int den = 1;
  friend bool operator==(const Rational&, const Rational&) = default;
};

/// Says how the stored picture becomes upright. It is first mirrored left to right if `mirrored`,
/// then turned clockwise by quarter_turns * 90 degrees.
struct Orientation {
  int quarter_turns = 0;  ///< 0..3
  bool mirrored = false;

  [[nodiscard]] FACEPIPE_HOST_DEVICE constexpr bool upright() const {
    return quarter_turns == 0 && !mirrored;
  }
  [[nodiscard]] constexpr bool swaps_axes() const { return quarter_turns % 2 == 1; }
  friend bool operator==(const Orientation&, const Orientation&) = default;
};

/// Returns the size of the upright picture if the stored picture has the size `stored`.
[[nodiscard]] constexpr Size upright_size(Size stored, Orientation orientation) {
  return orientation.swaps_axes() ? Size{stored.height, stored.width} : stored;
}

}  // namespace facepipe
