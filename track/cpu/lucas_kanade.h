// Where a point of one picture lies in another: the method of Lucas and Kanade.
#pragma once

#include <optional>

#include "core/geometry.h"
#include "track/cpu/pyramid.h"

namespace facepipe::track {

/// The place in `to` of what is at `point` in `from`: minimises the squared difference of the
/// windows around both by Gauss-Newton steps, at each level from `coarsest` to `finest` (Bouguet
/// 2000, with the gradient of the first picture, which stays the same from step to step).
/// Where windows pass the picture's edge, the edge's samples are repeated.
///
/// None where the window has no texture in some direction, at the finest level; where the steps
/// don't converge there; or where the point leaves the picture.
///
/// Points are in pixels of the picture. Both pyramids are of pictures of one size.
/// @param guess  where it is looked for first
[[nodiscard]] std::optional<Point> follow_point(const LumaPyramid& from, const LumaPyramid& to,
                                                Point point, Point guess, int coarsest, int finest);

}  // namespace facepipe::track
