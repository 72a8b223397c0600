// Helps to run a detector a second time, on the mirrored picture. There, the detector finds faces
// that it has missed in the picture itself.
#pragma once

#include "core/detections.h"
#include "core/frame.h"
#include "core/geometry.h"

namespace facepipe::detector {

/// Returns the orientation that also mirrors the upright picture left to right. The samples are the
/// same.
[[nodiscard]] constexpr Orientation mirrored(Orientation orientation) {
  // A turn followed by a mirror is the same as the mirror followed by the opposite turn.
  return {(4 - orientation.quarter_turns) % 4, !orientation.mirrored};
}

/// Returns a frame of the same samples, whose upright picture is mirrored left to right. The
/// returned frame keeps the samples alive.
[[nodiscard]] Frame mirrored_view(const Frame& frame);

/// Converts a box in the mirrored picture to the picture itself. The upright picture is `width`
/// pixels wide.
[[nodiscard]] Box mirrored(const Box& box, int width);

/// Converts detections in a mirrored picture to the picture itself, and appends them to `to`. The
/// upright picture is `width` pixels wide.
void append_mirrored(Detections& to, const Detections& found, int width);

}  // namespace facepipe::detector
