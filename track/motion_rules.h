// Finds cuts, the camera's motion and the motion of boxes from points and histograms. All devices
// share this code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/geometry.h"
#include "track/flow.h"
#include "track/motion.h"

namespace facepipe::track {

inline constexpr int kHistogramBins = 16;
inline constexpr auto kCells = static_cast<std::size_t>(kHistogramCells) * kHistogramCells;

/// For each cell of the picture, row by row: how often each grey level occurs.
using CellCounts = std::array<std::array<std::uint32_t, kGreys>, kCells>;

/// For each cell: the distribution of the luma in 16 bins. The luma is equalised first, so that a
/// change of exposure doesn't look like a cut. The bins of each cell add up to 1. They are 0 if the
/// picture is too small to have that cell.
using CellHistograms = std::array<std::array<float, kHistogramBins>, kCells>;

[[nodiscard]] CellHistograms histograms_of(const CellCounts& counts);

/// Returns 0 (equal) .. 1 (nothing in common): half of the L1 distance, averaged over the cells.
[[nodiscard]] float distance(const CellHistograms& a, const CellHistograms& b);

/// Returns false if the distance of two pictures' histograms is so small that there is no cut for
/// any motion of points.
[[nodiscard]] bool may_be_cut(float distance);

/// Returns the indices of the points that are followed to find the camera's motion, best first.
/// There are at most 300, and points of little texture are left out.
[[nodiscard]] std::vector<std::size_t> camera_points(std::span<const TexturedPoint> points);

/// Returns the change between two pictures of one size.
/// @param distance  distance of their histograms
/// @param followed  for each point, its place in the second picture; nullopt if it was not found
/// @param scale     in pixels: the side of a sample of the level at which the points were found
[[nodiscard]] PictureChange change_between(float distance, std::span<const Point> points,
                                           std::span<const std::optional<Point>> followed,
                                           float scale);

/// The largest number of points that are followed forwards in a frame. The same limit holds
/// backwards.
inline constexpr int kMostFlowPoints = 1500;

/// Returns BoxStep::grid for `boxes` boxes that have at most `points` points together. It is
/// kMostGrid, 3 or 0.
[[nodiscard]] int grid_for(std::size_t boxes, int points = kMostFlowPoints);

/// Returns where the step's box is in the second picture (see MotionEstimator::follow()).
/// @param xs, ys  the motion of the found points relative to the camera; the function reorders it
[[nodiscard]] Box place_of(const BoxStep& step, std::span<float> xs, std::span<float> ys);

}  // namespace facepipe::track
