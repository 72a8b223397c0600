// Draws conclusions from points and histograms, whichever device made them.
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

/// Tells how often each grey level occurs in each of the picture's cells, row by row.
using CellCounts = std::array<std::array<std::uint32_t, kGreys>, kCells>;

/// Tells how the luma is distributed in each cell, in 16 bins. The luma is equalised first, so that
/// a change of exposure is not taken for a cut. The bins of each cell add up to 1. They are 0 if
/// the picture is too small to have that cell.
using CellHistograms = std::array<std::array<float, kHistogramBins>, kCells>;

[[nodiscard]] CellHistograms histograms_of(const CellCounts& counts);

/// Returns 0 (equal) .. 1 (nothing in common): half of the L1 distance, averaged over the cells.
[[nodiscard]] float distance(const CellHistograms& a, const CellHistograms& b);

/// Returns whether there may be a cut between pictures whose histograms are so far apart, whatever
/// their points tell.
[[nodiscard]] bool may_be_cut(float distance);

/// Returns which points are followed to find the camera's motion, best first. They are at most 300,
/// without those of little texture.
[[nodiscard]] std::vector<std::size_t> camera_points(std::span<const TexturedPoint> points);

/// Returns the change between two pictures of one size.
/// @param distance  of their histograms
/// @param followed  one for each point; nullopt if it was not found
/// @param scale     side of a sample of the level in which they were found, in pixels
[[nodiscard]] PictureChange change_between(float distance, std::span<const Point> points,
                                           std::span<const std::optional<Point>> followed,
                                           float scale);

/// The number of points that are followed in a frame, forwards and backwards each.
inline constexpr int kMostFlowPoints = 1500;

/// Returns BoxStep::grid for so many boxes, so that all their points together are at most `points`.
/// It is kMostGrid, 3 or 0.
[[nodiscard]] int grid_for(std::size_t boxes, int points = kMostFlowPoints);

/// Returns where the step's box is, by the motion of its points.
/// @param xs, ys  the motion against the camera of the points that were found; they are reordered
[[nodiscard]] Box place_of(const BoxStep& step, std::span<float> xs, std::span<float> ys);

}  // namespace facepipe::track
