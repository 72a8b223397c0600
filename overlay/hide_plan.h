// Plans which samples of one frame are hidden: the masks of its faces, in the order in which they
// are hidden. The renderers of all devices work from this plan and the functions of
// hide_geometry.h.
#pragma once

#include <span>
#include <vector>

#include "core/frame.h"
#include "overlay/hide.h"
#include "overlay/hide_geometry.h"

namespace facepipe::overlay {

struct HidePlan {
  std::vector<HideMask> masks;  ///< see Note: masks that overlap, in hide.h
  Size cell{1, 1};              ///< chroma_cell()
};

/// Plans the masks of `faces`. It reads the frame's size, format, orientation and field order, but
/// no plane. It reads the shape and `grow` of `options`. The edges of a grown box are clamped to
/// +-4 * kMaxPictureSide; if this changes a box, its mask is a rectangle. A box without width or
/// height hides the chroma cell in which it lies. Errors: as FaceHider::hide(), except for the
/// error about host memory.
[[nodiscard]] HidePlan plan_hiding(const Frame& frame, std::span<const Box> faces,
                                   const HideOptions& options);

}  // namespace facepipe::overlay
