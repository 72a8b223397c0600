// A second look at a picture, mirrored: detectors see in it what they miss in the first.
#pragma once

#include "core/detections.h"
#include "core/frame.h"
#include "core/geometry.h"

namespace facepipe::detector {

/// How the same samples become the upright picture mirrored left to right.
[[nodiscard]] constexpr Orientation mirrored(Orientation orientation) {
  // To mirror behind a turn is to mirror first and turn the other way.
  return {(4 - orientation.quarter_turns) % 4, !orientation.mirrored};
}

/// A frame of the same samples, which it keeps alive, whose upright picture is mirrored left to
/// right.
[[nodiscard]] Frame mirrored_view(const Frame& frame);

/// Where a box of a mirrored picture, `width` pixels wide upright, lies in the picture itself.
[[nodiscard]] Box mirrored(const Box& box, int width);

/// Appends what was found in a mirrored picture, `width` pixels wide upright, as it lies in the
/// picture itself.
void append_mirrored(Detections& to, const Detections& found, int width);

}  // namespace facepipe::detector
