#include "track/motion.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "track/lucas_kanade.h"

namespace facepipe {
namespace {

constexpr float kCutDistance = 0.4F;
constexpr float kCutInliers = 0.5F;
constexpr float kLostCutDistance = 0.25F;  ///< enough where hardly a point is found again
constexpr float kLostCutInliers = 0.1F;
constexpr std::size_t kLostCutPoints = 50;  ///< a share of fewer says too little
constexpr float kCameraInliers = 0.3F;
constexpr std::size_t kMostPoints = 300;
constexpr float kLeastTextureShare = 0.01F;  ///< of the best point's texture
constexpr float kCameraTolerance = 0.75F;    ///< samples of the level
constexpr int kLevelsOfCamera = 3;
constexpr int kLevelsOfBox = 3;
constexpr float kSamplesOfBox = 16;  ///< of a box' shorter side, at the finest level

// --- histograms ---

/// The bin of each grey level once the luma is equalised.
std::array<std::uint8_t, 256> equalised_bins(const LumaLevel& level) {
  std::array<std::uint32_t, 256> counts{};
  const std::size_t n =
      static_cast<std::size_t>(level.size.width) * static_cast<std::size_t>(level.size.height);
  for (std::size_t i = 0; i < n; ++i) ++counts[level.samples[i]];
  std::array<std::uint8_t, 256> bins{};
  std::size_t first = 0;
  while (first < 255 && counts[first] == 0) ++first;
  const double above = static_cast<double>(n) - counts[first];
  std::size_t below = 0;
  for (std::size_t grey = first + 1; grey < 256; ++grey) {
    below += counts[grey];
    if (above > 0)
      bins[grey] = static_cast<std::uint8_t>(std::lround(static_cast<double>(below) / above * 255) /
                                             (256 / kHistogramBins));
  }
  return bins;
}

CellHistograms cell_histograms(const LumaLevel& level) {
  const std::array<std::uint8_t, 256> bins = equalised_bins(level);
  const auto [width, height] = level.size;
  std::array<std::array<std::uint32_t, kHistogramBins>, kHistogramCells * kHistogramCells> counts{};
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* row = level.samples + static_cast<std::ptrdiff_t>(y) * width;
    const int cell_y = y * kHistogramCells / height;
    for (int cell_x = 0; cell_x < kHistogramCells; ++cell_x) {
      auto& cell = counts[static_cast<std::size_t>(cell_y * kHistogramCells + cell_x)];
      const int end = (cell_x + 1) * width / kHistogramCells;
      for (int x = cell_x * width / kHistogramCells; x < end; ++x) ++cell[bins[row[x]]];
    }
  }
  CellHistograms shares{};
  for (std::size_t cell = 0; cell < counts.size(); ++cell) {
    std::uint32_t total = 0;
    for (const std::uint32_t count : counts[cell]) total += count;
    for (std::size_t bin = 0; total > 0 && bin < kHistogramBins; ++bin)
      shares[cell][bin] = static_cast<float>(counts[cell][bin]) / static_cast<float>(total);
  }
  return shares;
}

// --- the camera ---

struct TexturedPoint {
  Point at;  ///< pixels of the picture
  float texture = 0;
};

/// The least eigenvalue of the matrix of gradients of a block of kFlowWindow x kFlowWindow samples,
/// which is the window that the point in its middle is followed by.
float block_texture(const LumaLevel& level, int left, int top) {
  const std::ptrdiff_t stride = level.size.width;
  std::array<int, kFlowWindow> xx{};
  std::array<int, kFlowWindow> xy{};
  std::array<int, kFlowWindow> yy{};
  for (int y = 0; y < kFlowWindow; ++y) {
    const std::uint8_t* row = level.samples + (top + y) * stride + left;
    for (std::size_t x = 0; x < kFlowWindow; ++x) {
      const auto at = static_cast<std::ptrdiff_t>(x);
      const int gx = row[at + 1] - row[at - 1];
      const int gy = row[at + stride] - row[at - stride];
      xx[x] += gx * gx;
      xy[x] += gx * gy;
      yy[x] += gy * gy;
    }
  }
  const auto sum = [](const std::array<int, kFlowWindow>& lanes) {
    int total = 0;
    for (const int lane : lanes) total += lane;
    return static_cast<float>(total);
  };
  const float a = sum(xx);
  const float b = sum(xy);
  const float c = sum(yy);
  return a + c - std::sqrt((a - c) * (a - c) + 4 * b * b);
}

/// The best point of each 2 x 2 blocks, best first, without those of little texture.
std::vector<TexturedPoint> textured_points(const LumaLevel& level) {
  std::vector<TexturedPoint> points;
  constexpr int kStep = 2 * kFlowWindow;
  for (int y = 1; y + kStep < level.size.height; y += kStep)
    for (int x = 1; x + kStep < level.size.width; x += kStep) {
      TexturedPoint best;
      for (int block = 0; block < 4; ++block) {
        const int left = x + block % 2 * kFlowWindow;
        const int top = y + block / 2 * kFlowWindow;
        const float texture = block_texture(level, left, top);
        if (texture <= best.texture) continue;
        const float middle = 0.5F * kFlowWindow;
        best = {{(static_cast<float>(left) + middle) * level.scale,
                 (static_cast<float>(top) + middle) * level.scale},
                texture};
      }
      if (best.texture > 0) points.push_back(best);
    }
  std::ranges::stable_sort(points, std::ranges::greater{}, &TexturedPoint::texture);
  if (points.size() > kMostPoints) points.resize(kMostPoints);
  while (!points.empty() && points.back().texture < kLeastTextureShare * points.front().texture)
    points.pop_back();
  return points;
}

// --- boxes ---

/// The level at which the box has some 16 to 32 samples: the work doesn't depend on its size.
int level_for(const LumaPyramid& pyramid, const Box& box) {
  const float side = std::min(box.width(), box.height());
  int level = 0;
  while (level + 1 < pyramid.levels() && side / pyramid.level(level + 1).scale >= kSamplesOfBox)
    ++level;
  return level;
}

float median(std::vector<float>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

float distance(const CellHistograms& a, const CellHistograms& b) {
  float sum = 0;
  for (std::size_t cell = 0; cell < a.size(); ++cell)
    for (std::size_t bin = 0; bin < a[cell].size(); ++bin)
      sum += std::abs(a[cell][bin] - b[cell][bin]);
  return sum / 2 / static_cast<float>(a.size());
}

// A quarter of the picture's size is fine enough for histograms and for the camera.
MotionPicture::MotionPicture(Luma luma)
    : pyramid_(std::move(luma)),
      histograms_(cell_histograms(pyramid_.level(std::min(1, pyramid_.levels() - 1)))) {}

PictureChange compare(const MotionPicture& before, const MotionPicture& now) {
  PictureChange change;
  change.distance = distance(before.histograms(), now.histograms());
  if (before.size() != now.size()) {
    change.cut = true;
    return change;
  }
  const LumaPyramid& pyramid = before.pyramid();
  const int finest = std::min(1, pyramid.levels() - 1);
  const std::vector<TexturedPoint> points = textured_points(pyramid.level(finest));
  std::vector<Point> from;
  std::vector<Point> to;
  for (const TexturedPoint& point : points)
    if (const std::optional<Point> place = follow_point(pyramid, now.pyramid(), point.at, point.at,
                                                        finest + kLevelsOfCamera - 1, finest)) {
      from.push_back(point.at);
      to.push_back(*place);
    }
  const SimilarityFit fit =
      fit_similarity(from, to, kCameraTolerance * pyramid.level(finest).scale);
  if (!points.empty())
    change.inlier_share = static_cast<float>(fit.inliers) / static_cast<float>(points.size());
  change.cut = (change.distance > kCutDistance && change.inlier_share < kCutInliers) ||
               (change.distance > kLostCutDistance && change.inlier_share < kLostCutInliers &&
                points.size() >= kLostCutPoints);
  if (!change.cut && change.inlier_share >= kCameraInliers) change.camera = fit.model;
  return change;
}

Box follow_box(const MotionPicture& before, const MotionPicture& now, const Box& box,
               const Similarity& camera, int grid) {
  const LumaPyramid& from = before.pyramid();
  const LumaPyramid& to = now.pyramid();
  const int finest = level_for(from, box);
  const float scale = from.level(finest).scale;
  const float tolerance = std::max(1.0F, 0.5F * scale);
  std::vector<float> xs;
  std::vector<float> ys;
  for (int i = 0; i < grid * grid; ++i) {
    const auto column = static_cast<float>(i % grid);
    const int row = i / grid;
    // From a tenth of the width on, because a face is narrower than its box at the top and below.
    const float u = 0.1F + 0.8F * (column + 0.5F) / static_cast<float>(grid);
    const float v = (static_cast<float>(row) + 0.5F) / static_cast<float>(grid);
    const Point point{box.x1 + u * box.width(), box.y1 + v * box.height()};
    const Point guess = camera(point);
    const std::optional<Point> there =
        follow_point(from, to, point, guess, finest + kLevelsOfBox - 1, finest);
    if (!there) continue;
    const std::optional<Point> back = follow_point(to, from, *there, point, finest, finest);
    if (!back || std::max(std::abs(back->x - point.x), std::abs(back->y - point.y)) >= tolerance)
      continue;
    xs.push_back(there->x - guess.x);
    ys.push_back(there->y - guess.y);
  }
  Box place = moved(box, camera);
  if (grid == 0 || xs.size() * 6 < static_cast<std::size_t>(grid) * static_cast<std::size_t>(grid))
    return place;
  const float dx = median(xs);
  const float dy = median(ys);
  return {place.x1 + dx, place.y1 + dy, place.x2 + dx, place.y2 + dy};
}

}  // namespace facepipe
