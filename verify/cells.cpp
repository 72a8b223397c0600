#include "verify/cells.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace facepipe::verify {
namespace {

constexpr int kWindow = 3;  // cells on each side of the middle cell
constexpr float kSigma = 1.5F;
constexpr int kReach = 6;  // in cells; the blur is cut off there
// Limits for the number of samples in a cell, on each axis. Within these limits, samples are at
// least as dense as the pixels, so that there is no aliasing. In cells of more than kMostFine
// pixels, fewer samples are enough.
constexpr int kLeastFine = 4;
constexpr int kMostFine = 24;

Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
Point operator*(Point a, float factor) { return {a.x * factor, a.y * factor}; }

/// Returns the index of a cell, mirrored at an edge if it lies outside: c b a | a b c.
int mirrored(int i, int side) { return i < 0 ? -1 - i : (i >= side ? 2 * side - 1 - i : i); }

/// Interpolates linearly between the centres of pixels. Beyond the picture, the edge pixels are
/// repeated.
float interpolated(const Grey& picture, Point at) {
  const float u = std::clamp(at.x - 0.5F, 0.0F, static_cast<float>(picture.size.width - 1));
  const float v = std::clamp(at.y - 0.5F, 0.0F, static_cast<float>(picture.size.height - 1));
  const int left = static_cast<int>(u);
  const int top = static_cast<int>(v);
  const int right = std::min(left + 1, picture.size.width - 1);
  const int bottom = std::min(top + 1, picture.size.height - 1);
  const float fx = u - static_cast<float>(left);
  const float fy = v - static_cast<float>(top);
  const auto row = [&](int line) {
    return (1 - fx) * static_cast<float>(picture.at(left, line)) +
           fx * static_cast<float>(picture.at(right, line));
  };
  return (1 - fy) * row(top) + fy * row(bottom);
}

Cells means_of(const Grey& picture, const Area& area, int side) {
  const float height = std::min(std::hypot(area.down.x, area.down.y),
                                static_cast<float>(side) * static_cast<float>(kMostFine));
  const int fine =
      std::clamp(static_cast<int>(height / static_cast<float>(side)) + 1, kLeastFine, kMostFine);
  const float step = 1.0F / static_cast<float>(side * fine);
  Cells cells(side);
  for (int y = 0; y < side * fine; ++y) {
    const Point row = area.corner + area.down * ((static_cast<float>(y) + 0.5F) * step);
    for (int x = 0; x < side * fine; ++x)
      cells.at(x / fine, y / fine) +=
          interpolated(picture, row + area.across * ((static_cast<float>(x) + 0.5F) * step));
  }
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) cells.at(x, y) /= static_cast<float>(fine * fine);
  return cells;
}

/// Computes for each cell a weighted sum of the cells around it, along both axes: the cells up to
/// `reach` away, each times weight(distance). `reach` must not exceed the side.
template <typename Weight>
Cells filtered(const Cells& cells, int reach, Weight weight) {
  const int side = cells.side();
  Cells rows(side);
  Cells all(side);
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x)
      for (int d = -reach; d <= reach; ++d)
        rows.at(x, y) += weight(d) * cells.at(mirrored(x + d, side), y);
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x)
      for (int d = -reach; d <= reach; ++d)
        all.at(x, y) += weight(d) * rows.at(x, mirrored(y + d, side));
  return all;
}

Cells blurred(const Cells& cells) {
  std::array<float, 2 * kReach + 1> weights{};
  float sum = 0;
  for (int d = -kReach; d <= kReach; ++d)
    sum += weights[static_cast<std::size_t>(d + kReach)] =
        std::exp(-static_cast<float>(d * d) / (2 * kSigma * kSigma));
  return filtered(cells, kReach,
                  [&](int d) { return weights[static_cast<std::size_t>(d + kReach)] / sum; });
}

}  // namespace

Area area_of(const Box& box) { return {{box.x1, box.y1}, {box.width(), 0}, {0, box.height()}}; }

Box scaled(const Box& box, Size from, Size to) {
  const float x = static_cast<float>(to.width) / static_cast<float>(from.width);
  const float y = static_cast<float>(to.height) / static_cast<float>(from.height);
  return {box.x1 * x, box.y1 * y, box.x2 * x, box.y2 * y};
}

Area scaled(const Area& area, Size from, Size to) {
  const float x = static_cast<float>(to.width) / static_cast<float>(from.width);
  const float y = static_cast<float>(to.height) / static_cast<float>(from.height);
  const auto point = [&](Point p) { return Point{p.x * x, p.y * y}; };
  return {point(area.corner), point(area.across), point(area.down)};
}

Area turned(const Area& area, Size picture, Orientation turn) {
  const auto point = [&](Point p) {
    if (turn.mirrored) p.x = static_cast<float>(picture.width) - p.x;
    Size size = picture;
    for (int i = 0; i < turn.quarter_turns; ++i) {  // clockwise
      p = {static_cast<float>(size.height) - p.y, p.x};
      size = {size.height, size.width};
    }
    return p;
  };
  const Point corner = point(area.corner);
  return {corner, point(area.corner + area.across) - corner,
          point(area.corner + area.down) - corner};
}

Area mirrored(const Area& area) { return {area.corner + area.across, area.across * -1, area.down}; }

Area grown(const Area& area, int cells) {
  const float share = static_cast<float>(cells) / kFaceCells;
  const Point across = area.across * share;
  const Point down = area.down * share;
  return {area.corner - across - down, area.across + across * 2, area.down + down * 2};
}

Cells detail_of(const Grey& picture, const Area& area, int side) {
  Cells cells = means_of(picture, area, side);
  const Cells blur = blurred(cells);
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) cells.at(x, y) -= blur.at(x, y);
  return cells;
}

Cells mean_products(const Cells& a, const Cells& b) {
  Cells products(a.side());
  for (int y = 0; y < a.side(); ++y)
    for (int x = 0; x < a.side(); ++x) products.at(x, y) = a.at(x, y) * b.at(x, y);
  return filtered(products, kWindow, [](int) { return 1.0F / (2 * kWindow + 1); });
}

}  // namespace facepipe::verify
