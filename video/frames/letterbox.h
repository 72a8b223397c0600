// Decides where a picture of another shape lies in a picture of a fixed size.
#pragma once

#include "core/geometry.h"

namespace facepipe::video {

/// A part of a picture, in pixels.
struct PictureArea {
  int x = 0;
  int y = 0;
  Size size;
  friend bool operator==(const PictureArea&, const PictureArea&) = default;
};

/// A picture's size, and the ratio of a pixel's width to its height: 1:1 if unknown.
struct PictureShape {
  Size size;
  Rational pixel{1, 1};
};

/// Returns the largest area in the middle of `into` that has the shape of `from`. What lies beside
/// it stays black. Returns all of `into` if the shapes differ by less than two in a hundred, or by
/// less than a cell on each side. The edges of the area lie on edges of `cell`, or of the picture.
[[nodiscard]] PictureArea letterbox(const PictureShape& from, const PictureShape& into, Size cell);

}  // namespace facepipe::video
