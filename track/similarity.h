// Describes a similarity of the plane (rotation, scale and shift), and finds the similarity that
// fits most of the given points.
#pragma once

#include <cstddef>
#include <span>

#include "core/geometry.h"
#include "core/host_device.h"

namespace facepipe::track {

/// Maps a point: x' = a x - b y + dx, y' = b x + a y + dy, in pixels. (0, 0) is the picture's outer
/// corner.
struct Similarity {
  float a = 1;
  float b = 0;
  float dx = 0;
  float dy = 0;

  [[nodiscard]] FACEPIPE_HOST_DEVICE Point operator()(Point p) const {
    return {a * p.x - b * p.y + dx, b * p.x + a * p.y + dy};
  }
  [[nodiscard]] float scale() const;
  /// Returns the inverse map. a and b must not both be 0.
  [[nodiscard]] Similarity inverse() const;
  friend bool operator==(const Similarity&, const Similarity&) = default;
};

/// Returns the box with its centre moved and its sides scaled. The box isn't rotated.
[[nodiscard]] Box moved(const Box& box, const Similarity& by);

struct SimilarityFit {
  Similarity model;         ///< the identity if nothing fits
  std::size_t inliers = 0;  ///< points that the model maps to within the tolerance
};

/// Returns the similarity that maps most of the points `from[i]` to `to[i]`. It uses RANSAC
/// (Fischler and Bolles 1981) over pairs of points, with a fixed seed, so that equal points give
/// equal results. Then it uses least squares over the inliers (Umeyama 1991, closed form in the
/// plane). It rejects scales outside of 1/2..2, because no camera changes so fast.
///
/// @param tolerance  in pixels, > 0
[[nodiscard]] SimilarityFit fit_similarity(std::span<const Point> from, std::span<const Point> to,
                                           float tolerance);

}  // namespace facepipe::track
