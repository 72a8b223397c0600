// What is concluded from points and histograms, wherever they were made.
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

/// How often each grey level is in each of the picture's cells, row by row.
using CellCounts = std::array<std::array<std::uint32_t, kGreys>, kCells>;

/// How the luma is spread in each cell: 16 bins, of a luma that is equalised first, so that a
/// change of exposure is no cut. Each cell's bins add up to 1, or are 0 where the picture is too
/// small to have that cell.
using CellHistograms = std::array<std::array<float, kHistogramBins>, kCells>;

[[nodiscard]] CellHistograms histograms_of(const CellCounts& counts);

/// 0 (equal) .. 1 (nothing in common): half of the L1 distance, mean of the cells.
[[nodiscard]] float distance(const CellHistograms& a, const CellHistograms& b);

/// Whether pictures whose histograms are so far apart may be a cut, whatever their points tell.
[[nodiscard]] bool may_be_cut(float distance);

/// Which points are followed to find the camera, best first: at most 300, without those of little
/// texture.
[[nodiscard]] std::vector<std::size_t> camera_points(std::span<const TexturedPoint> points);

/// Between two pictures of one size.
/// @param distance  of their histograms
/// @param followed  as many as were to be followed; none: not found
/// @param scale     side of a sample of the level where they were found, in pixels
[[nodiscard]] PictureChange change_between(float distance, std::span<const Point> points,
                                           std::span<const std::optional<Point>> followed,
                                           float scale);

/// Points that are followed in a frame, forwards and backwards each.
inline constexpr int kMostFlowPoints = 1500;

/// BoxStep::grid of so many boxes, that all their points together are `points` at most: kMostGrid,
/// 3 or 0.
[[nodiscard]] int grid_for(std::size_t boxes, int points = kMostFlowPoints);

/// Where the step's box is, by the motion of its points.
/// @param xs, ys  against the camera, of those points that were found; they are reordered
[[nodiscard]] Box place_of(const BoxStep& step, std::span<float> xs, std::span<float> ys);

}  // namespace facepipe::track
