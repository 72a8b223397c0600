// What happens between two pictures: a cut, the camera's motion, the motion of a box.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/geometry.h"
#include "track/luma.h"
#include "track/pyramid.h"
#include "track/similarity.h"

namespace facepipe {

/// How the luma is spread in each of 4 x 4 cells of the picture: 16 bins, of a luma that is
/// equalised first, so that a change of exposure is no cut. Each cell's bins add up to 1, or are 0
/// where the picture is too small to have that cell.
inline constexpr int kHistogramCells = 4;
inline constexpr int kHistogramBins = 16;
using CellHistograms = std::array<std::array<float, kHistogramBins>,
                                  static_cast<std::size_t>(kHistogramCells) * kHistogramCells>;

/// 0 (equal) .. 1 (nothing in common): half of the L1 distance, mean of the cells.
[[nodiscard]] float distance(const CellHistograms& a, const CellHistograms& b);

/// A picture as motion needs it. Owns all of it; never changes.
class MotionPicture {
 public:
  /// `luma` is not empty.
  explicit MotionPicture(Luma luma);

  [[nodiscard]] const LumaPyramid& pyramid() const { return pyramid_; }
  [[nodiscard]] const CellHistograms& histograms() const { return histograms_; }
  [[nodiscard]] Size size() const { return pyramid_.picture(); }

 private:
  LumaPyramid pyramid_;
  CellHistograms histograms_;
};

/// What is between two pictures in a row.
struct PictureChange {
  /// Nothing goes on: the histograms' distance is over 0.4, and less than half of the points fit
  /// the camera's motion; or it is over 0.25, as between shots of like brightness, and less than a
  /// tenth of 50 points or more do; or the pictures' sizes differ.
  bool cut = false;
  /// From the first picture to the second, in pixels of the picture. The identity at a cut, and
  /// where less than 30 % of the points fit one motion.
  Similarity camera;
  float distance = 0;      ///< of the histograms
  float inlier_share = 0;  ///< of the points; 0 where the picture has no texture
};

/// Follows at most 300 points with texture (the measure of Shi and Tomasi 1994), spread over the
/// picture, from `before` to `now`, and fits the camera's motion to them.
[[nodiscard]] PictureChange compare(const MotionPicture& before, const MotionPicture& now);

/// Where `box` of `before` is in `now`: the median of the motion of grid x grid points in it that
/// were found again from `now` to within a pixel or so (the forward-backward error of Kalal et al.
/// 2010), beside `camera`, which also says how its size changes. With less than a sixth of the
/// points found, `camera` alone. Both pictures have one size.
///
/// @param box   not empty; may pass the picture's edge
/// @param grid  points on each axis; 0: `camera` alone
[[nodiscard]] Box follow_box(const MotionPicture& before, const MotionPicture& now, const Box& box,
                             const Similarity& camera, int grid);

}  // namespace facepipe
