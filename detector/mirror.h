// A second look at a picture, mirrored: detectors see in it what they miss in the first.
#pragma once

#include "core/detections.h"
#include "core/frame.h"

namespace facepipe {

/// A frame of the same samples, which it keeps alive, whose upright picture is mirrored left to
/// right.
[[nodiscard]] Frame mirrored_view(const Frame& frame);

/// Appends what was found in a mirrored picture, `width` pixels wide upright, as it lies in the
/// picture itself.
void append_mirrored(Detections& to, const Detections& found, int width);

}  // namespace facepipe
