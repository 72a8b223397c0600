#include "track/cpu/motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "track/cpu/lucas_kanade.h"

namespace facepipe::track {
namespace {

const CpuMotionPicture& as_cpu(const MotionPicture& picture) {
  return static_cast<const CpuMotionPicture&>(picture);
}

CellCounts count_greys(const LumaLevel& level) {
  const auto [width, height] = level.size;
  CellCounts counts{};
  for (int cell_y = 0; cell_y < kHistogramCells; ++cell_y)
    for (int y = cell_row(cell_y, height); y < cell_row(cell_y + 1, height); ++y) {
      const std::uint8_t* row = level.samples + static_cast<std::ptrdiff_t>(y) * width;
      for (int cell_x = 0; cell_x < kHistogramCells; ++cell_x) {
        auto& cell = counts[static_cast<std::size_t>(cell_y * kHistogramCells + cell_x)];
        const int end = cell_column(cell_x + 1, width);
        for (int x = cell_column(cell_x, width); x < end; ++x) ++cell[row[x]];
      }
    }
  return counts;
}

/// Returns the texture of a window of kFlowWindow x kFlowWindow samples.
float window_texture(const LumaLevel& level, int left, int top) {
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
  const auto sum = [](const std::array<int, kFlowWindow>& columns) {
    int total = 0;
    for (const int column : columns) total += column;
    return total;
  };
  return texture_of(sum(xx), sum(xy), sum(yy));
}

std::vector<TexturedPoint> textured_points(const LumaLevel& level) {
  const TextureGrid grid(level.size);
  std::vector<TexturedPoint> points(static_cast<std::size_t>(grid.places()));
  for (int place = 0; place < grid.places(); ++place) {
    TexturedPoint& best = points[static_cast<std::size_t>(place)];
    for (int window = 0; window < 4; ++window) {
      const int left = grid.left(place, window);
      const int top = grid.top(place, window);
      const float texture = window_texture(level, left, top);
      if (texture > best.texture) best = {TextureGrid::middle(left, top, level.scale), texture};
    }
  }
  return points;
}

Box follow_box(const BoxStep& step) {
  const LumaPyramid& from = as_cpu(*step.from).pyramid();
  const LumaPyramid& to = as_cpu(*step.to).pyramid();
  const int finest = level_for(from.shape(), std::min(step.box.width(), step.box.height()));
  const float tolerance = return_tolerance(PyramidShape::scale(finest));
  std::vector<float> xs;
  std::vector<float> ys;
  for (int i = 0; i < step.grid * step.grid; ++i) {
    const Point point = point_of(step.box, step.grid, i);
    const Point guess = step.camera(point);
    const std::optional<Point> there =
        follow_point(from, to, point, guess, finest + kLevelsOfBox - 1, finest);
    if (!there) continue;
    const std::optional<Point> back = follow_point(to, from, *there, point, finest, finest);
    if (!back || std::max(std::abs(back->x - point.x), std::abs(back->y - point.y)) >= tolerance)
      continue;
    xs.push_back(there->x - guess.x);
    ys.push_back(there->y - guess.y);
  }
  return place_of(step, xs, ys);
}

}  // namespace

CpuMotionPicture::CpuMotionPicture(Luma luma)
    : MotionPicture(luma.picture),
      pyramid_(std::move(luma)),
      histograms_(histograms_of(count_greys(pyramid_.level(pyramid_.shape().coarse())))) {}

std::shared_ptr<const MotionPicture> CpuMotionEstimator::make_picture(const Frame& frame) {
  return std::make_shared<CpuMotionPicture>(
      make_luma(frame.planes[0], frame.format, frame.size, frame.orientation));
}

bool may_be_cut(const MotionPicture& before, const MotionPicture& now) {
  return before.size() != now.size() ||
         may_be_cut(distance(as_cpu(before).histograms(), as_cpu(now).histograms()));
}

PictureChange CpuMotionEstimator::compare(const MotionPicture& before, const MotionPicture& now) {
  const CpuMotionPicture& from = as_cpu(before);
  const CpuMotionPicture& to = as_cpu(now);
  const float apart = distance(from.histograms(), to.histograms());
  if (before.size() != now.size()) return {.cut = true, .camera = {}, .distance = apart};
  const int finest = from.pyramid().shape().coarse();
  const LumaLevel level = from.pyramid().level(finest);
  const std::vector<TexturedPoint> textured = textured_points(level);
  std::vector<Point> points;
  std::vector<std::optional<Point>> followed;
  for (const std::size_t i : camera_points(textured)) {
    const Point at = points.emplace_back(textured[i].at);
    followed.push_back(
        follow_point(from.pyramid(), to.pyramid(), at, at, finest + kLevelsOfCamera - 1, finest));
  }
  return change_between(apart, points, followed, level.scale);
}

std::vector<Box> CpuMotionEstimator::follow(std::span<const BoxStep> steps) {
  std::vector<Box> places;
  places.reserve(steps.size());
  for (const BoxStep& step : steps) places.push_back(follow_box(step));
  return places;
}

}  // namespace facepipe::track
