// Which samples of one frame are hidden: the masks of its faces, in the order in which they are
// hidden. The renderers of all devices work from this plan and the functions of hide_geometry.h.
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

/// Reads of `frame` size, format, orientation and field order, but no plane; of `options` shape and
/// grow. A box grown beyond four times kMaxPictureSide is cut there, and then is a rectangle. A box
/// without width or height hides the chroma cell that it lies in. Errors: as FaceHider::hide(), but
/// for the device.
[[nodiscard]] HidePlan plan_hiding(const Frame& frame, std::span<const Box> faces,
                                   const HideOptions& options);

}  // namespace facepipe::overlay
