// Helps to run a detector a second time, on the mirrored picture. It then finds faces that it
// missed before.
#pragma once

#include "core/detections.h"
#include "core/frame.h"
#include "core/geometry.h"

namespace facepipe::detector {

/// Returns an orientation for the same samples. With it, the upright picture is mirrored left to
/// right.
[[nodiscard]] constexpr Orientation mirrored(Orientation orientation) {
  // A turn followed by a mirror is the same as the mirror followed by the opposite turn.
  return {(4 - orientation.quarter_turns) % 4, !orientation.mirrored};
}

/// Returns a frame of the same samples, whose upright picture is mirrored left to right. The
/// returned frame keeps the samples alive.
[[nodiscard]] Frame mirrored_view(const Frame& frame);

/// Returns where a box of a mirrored picture lies in the picture itself. The upright picture is
/// `width` pixels wide.
[[nodiscard]] Box mirrored(const Box& box, int width);

/// Converts detections in a mirrored picture to the picture itself, and appends them to `to`. The
/// upright picture is `width` pixels wide.
void append_mirrored(Detections& to, const Detections& found, int width);

}  // namespace facepipe::detector
