// A detector can look at a picture a second time, mirrored. It then finds faces that it missed
// before.
#pragma once

#include "core/detections.h"
#include "core/frame.h"
#include "core/geometry.h"

namespace facepipe::detector {

/// Returns the orientation in which the same samples are the upright picture, mirrored left to
/// right.
[[nodiscard]] constexpr Orientation mirrored(Orientation orientation) {
  // To mirror after a turn is to mirror first and then turn the other way.
  return {(4 - orientation.quarter_turns) % 4, !orientation.mirrored};
}

/// Returns a frame of the same samples, whose upright picture is mirrored left to right. It keeps
/// the samples alive.
[[nodiscard]] Frame mirrored_view(const Frame& frame);

/// Returns where a box of a mirrored picture lies in the picture itself. The upright picture is
/// `width` pixels wide.
[[nodiscard]] Box mirrored(const Box& box, int width);

/// Appends detections of a mirrored picture to `to`, as they lie in the picture itself. The upright
/// picture is `width` pixels wide.
void append_mirrored(Detections& to, const Detections& found, int width);

}  // namespace facepipe::detector
