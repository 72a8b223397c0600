#include "track/motion_rules.h"

#include <algorithm>
#include <cmath>

namespace facepipe::track {
namespace {

constexpr float kCutDistance = 0.4F;
constexpr float kCutInliers = 0.5F;
constexpr float kLostCutDistance = 0.25F;  ///< used if hardly any point fits the camera's motion
constexpr float kLostCutInliers = 0.1F;
constexpr std::size_t kLostCutPoints = 50;  ///< with fewer points, the share isn't reliable
constexpr float kCameraInliers = 0.3F;
constexpr std::size_t kMostPoints = 300;
constexpr float kLeastTextureShare = 0.01F;  ///< share of the best point's texture
constexpr float kCameraTolerance = 0.75F;    ///< in samples of the level
constexpr int kCoarseGrid = 3;

/// Returns the bin of each grey level after the luma is equalised.
std::array<std::uint8_t, kGreys> equalised_bins(const CellCounts& cells) {
  std::array<std::uint64_t, kGreys> counts{};
  std::uint64_t n = 0;
  for (const auto& cell : cells)
    for (std::size_t grey = 0; grey < kGreys; ++grey) {
      counts[grey] += cell[grey];
      n += cell[grey];
    }
  std::array<std::uint8_t, kGreys> bins{};
  std::size_t first = 0;
  while (first < kGreys - 1 && counts[first] == 0) ++first;
  const double above = static_cast<double>(n) - static_cast<double>(counts[first]);
  std::uint64_t below = 0;
  for (std::size_t grey = first + 1; grey < kGreys; ++grey) {
    below += counts[grey];
    if (above > 0)
      bins[grey] = static_cast<std::uint8_t>(std::lround(static_cast<double>(below) / above * 255) /
                                             (kGreys / kHistogramBins));
  }
  return bins;
}

float median(std::span<float> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

CellHistograms histograms_of(const CellCounts& counts) {
  const std::array<std::uint8_t, kGreys> bins = equalised_bins(counts);
  CellHistograms shares{};
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    std::array<std::uint32_t, kHistogramBins> of_bins{};
    std::uint32_t total = 0;
    for (std::size_t grey = 0; grey < kGreys; ++grey) {
      of_bins[bins[grey]] += counts[cell][grey];
      total += counts[cell][grey];
    }
    for (std::size_t bin = 0; total > 0 && bin < kHistogramBins; ++bin)
      shares[cell][bin] = static_cast<float>(of_bins[bin]) / static_cast<float>(total);
  }
  return shares;
}

float distance(const CellHistograms& a, const CellHistograms& b) {
  float sum = 0;
  for (std::size_t cell = 0; cell < a.size(); ++cell)
    for (std::size_t bin = 0; bin < a[cell].size(); ++bin)
      sum += std::abs(a[cell][bin] - b[cell][bin]);
  return sum / 2 / static_cast<float>(a.size());
}

bool may_be_cut(float distance) { return distance > std::min(kCutDistance, kLostCutDistance); }

std::vector<std::size_t> camera_points(std::span<const TexturedPoint> points) {
  std::vector<std::size_t> best;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].texture > 0) best.push_back(i);
  const auto texture = [&](std::size_t i) { return points[i].texture; };
  std::ranges::stable_sort(best, std::ranges::greater{}, texture);
  if (best.size() > kMostPoints) best.resize(kMostPoints);
  while (!best.empty() && texture(best.back()) < kLeastTextureShare * texture(best.front()))
    best.pop_back();
  return best;
}

PictureChange change_between(float distance, std::span<const Point> points,
                             std::span<const std::optional<Point>> followed, float scale) {
  std::vector<Point> from;
  std::vector<Point> to;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!followed[i]) continue;
    from.push_back(points[i]);
    to.push_back(*followed[i]);
  }
  const SimilarityFit fit = fit_similarity(from, to, kCameraTolerance * scale);
  PictureChange change;
  change.distance = distance;
  if (!points.empty())
    change.inlier_share = static_cast<float>(fit.inliers) / static_cast<float>(points.size());
  change.cut = (distance > kCutDistance && change.inlier_share < kCutInliers) ||
               (distance > kLostCutDistance && change.inlier_share < kLostCutInliers &&
                points.size() >= kLostCutPoints);
  if (!change.cut && change.inlier_share >= kCameraInliers) change.camera = fit.model;
  return change;
}

int grid_for(std::size_t boxes, int points) {
  const auto fits = [&](int grid) {
    return boxes * static_cast<std::size_t>(grid * grid) <= static_cast<std::size_t>(points);
  };
  return fits(kMostGrid) ? kMostGrid : fits(kCoarseGrid) ? kCoarseGrid : 0;
}

Box place_of(const BoxStep& step, std::span<float> xs, std::span<float> ys) {
  const Box place = moved(step.box, step.camera);
  const auto points = static_cast<std::size_t>(step.grid) * static_cast<std::size_t>(step.grid);
  if (points == 0 || xs.size() * 6 < points) return place;
  const float dx = median(xs);
  const float dy = median(ys);
  return {place.x1 + dx, place.y1 + dy, place.x2 + dx, place.y2 + dy};
}

}  // namespace facepipe::track
