// Where a picture of another shape lies in one of a fixed size.
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

/// A picture's size and what one of its pixels is as wide as, to its height: 1:1 where unknown.
struct PictureShape {
  Size size;
  Rational pixel{1, 1};
};

/// The largest area of `into`, in its middle, that has the shape of `from`: what is beside it stays
/// black. All of it where the shapes differ by less than two in a hundred, or by less than a cell
/// on each side. Its edges lie on edges of `cell`, or of the picture.
[[nodiscard]] PictureArea letterbox(const PictureShape& from, const PictureShape& into, Size cell);

}  // namespace facepipe::video
