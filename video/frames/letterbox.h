// Decides where to place a picture inside a picture of a fixed size and another aspect ratio.
#pragma once

#include "core/geometry.h"

namespace facepipe::video {

/// Describes a part of a picture, in pixels.
struct PictureArea {
  int x = 0;
  int y = 0;
  Size size;
  friend bool operator==(const PictureArea&, const PictureArea&) = default;
};

/// Holds a picture's size, and the ratio of a pixel's width to its height (1:1 if unknown).
struct PictureShape {
  Size size;
  Rational pixel{1, 1};
};

/// Returns the largest area in the middle of `into` that has the shape of `from`. The rest of
/// `into` stays black. Returns all of `into` if the shapes differ by less than 2 %, or if each
/// black bar would be narrower than a cell. The edges of the area lie on edges of cells of size
/// `cell`, or of the picture.
[[nodiscard]] PictureArea letterbox(const PictureShape& from, const PictureShape& into, Size cell);

}  // namespace facepipe::video
