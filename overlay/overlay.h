// Draws faces on the YUV planes of a frame; nothing outside the drawings changes by a bit.
#pragma once

#include "core/detections.h"
#include "core/frame.h"

namespace facepipe {

struct OverlayStyle {
  bool boxes = true;
  bool scores = false;
  bool landmarks = false;  ///< where faces have any
  bool count = false;      ///< "N faces" in the upright picture's top left corner

  [[nodiscard]] bool any() const { return boxes || scores || landmarks || count; }
};

/// Draws `faces` (coordinates of the upright picture) on the stored picture, so that text reads
/// upright once the picture is shown turned. Colours follow the frame's matrix and range. Line
/// width and text size follow the picture's shorter side. Coordinates may be anything, NaN
/// included: a box is cut to the picture, and its outline lies around what is left of it. The
/// frame's planes must be writable. Errors: Error(internal) for a frame not on the CPU.
void draw_overlay(Frame& frame, const Detections& faces, const OverlayStyle& style);

}  // namespace facepipe
