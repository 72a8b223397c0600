// Finds where a point of one picture lies in another picture, by the method of Lucas and Kanade.
#pragma once

#include <optional>

#include "core/geometry.h"
#include "track/cpu/pyramid.h"

namespace facepipe::track {

/// Finds the place in `to` that shows the same as `point` in `from`. It minimises the squared
/// difference of the windows around the two places by Gauss-Newton steps, at each level from
/// `coarsest` to `finest` (Bouguet 2000). It uses the gradient of the first picture, which stays
/// the same from step to step. If a window extends beyond the picture, the samples of the edge are
/// repeated.
///
/// Returns nullopt if the point leaves the picture, or if the search fails at the finest level: the
/// window has no texture in some direction, or the steps don't converge.
///
/// Points are in pixels of the picture. The two pictures must have the same size.
/// @param guess  where the search begins
[[nodiscard]] std::optional<Point> follow_point(const LumaPyramid& from, const LumaPyramid& to,
                                                Point point, Point guess, int coarsest, int finest);

}  // namespace facepipe::track
