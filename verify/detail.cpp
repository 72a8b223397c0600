#include "verify/detail.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace facepipe {
namespace {

constexpr int kCells = 20;
constexpr int kRim = 2;     // cells on each side: 80 % are inside
constexpr int kWindow = 3;  // cells on each side of the middle one
constexpr float kSigma = 1.5F;
constexpr int kReach = 6;  // of the blur
constexpr float kLeftOver = 0.5F;
constexpr float kChanged = 0.3F;
constexpr float kFlat = 2;
// Samples of a cell on each axis: as fine as the pixels, so that nothing aliases; of large boxes
// less will do.
constexpr int kLeastFine = 4;
constexpr int kMostFine = 24;

using Cells = std::array<float, static_cast<std::size_t>(kCells) * kCells>;

std::size_t index(int x, int y) { return static_cast<std::size_t>(y * kCells + x); }

/// Beyond an edge cells are mirrored: c b a | a b c.
int mirrored(int i) { return i < 0 ? -1 - i : (i >= kCells ? 2 * kCells - 1 - i : i); }

/// Between pixels' middles, in straight lines; the edge goes on beyond the picture.
float interpolated(const Grey& picture, float x, float y) {
  const float u = std::clamp(x - 0.5F, 0.0F, static_cast<float>(picture.size.width - 1));
  const float v = std::clamp(y - 0.5F, 0.0F, static_cast<float>(picture.size.height - 1));
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

Cells cells_of(const Grey& picture, const Box& box) {
  const float height = std::min(box.height(), static_cast<float>(kCells * kMostFine));
  const int fine = std::clamp(static_cast<int>(height / kCells) + 1, kLeastFine, kMostFine);
  const float step_x = box.width() / static_cast<float>(kCells * fine);
  const float step_y = box.height() / static_cast<float>(kCells * fine);
  Cells cells{};
  for (int y = 0; y < kCells * fine; ++y)
    for (int x = 0; x < kCells * fine; ++x)
      cells[index(x / fine, y / fine)] +=
          interpolated(picture, box.x1 + (static_cast<float>(x) + 0.5F) * step_x,
                       box.y1 + (static_cast<float>(y) + 0.5F) * step_y);
  for (float& cell : cells) cell /= static_cast<float>(fine * fine);
  return cells;
}

/// Of each cell and those `reach` around it the sum of `weight(distance)` times the cell, along
/// both axes.
template <typename Weight>
Cells filtered(const Cells& cells, int reach, Weight weight) {
  Cells rows{};
  Cells all{};
  for (int y = 0; y < kCells; ++y)
    for (int x = 0; x < kCells; ++x)
      for (int d = -reach; d <= reach; ++d)
        rows[index(x, y)] += weight(d) * cells[index(mirrored(x + d), y)];
  for (int y = 0; y < kCells; ++y)
    for (int x = 0; x < kCells; ++x)
      for (int d = -reach; d <= reach; ++d)
        all[index(x, y)] += weight(d) * rows[index(x, mirrored(y + d))];
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

Cells detail_of(const Grey& picture, const Box& box) {
  Cells cells = cells_of(picture, box);
  const Cells blur = blurred(cells);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] -= blur[i];
  return cells;
}

/// The mean over the window around each cell.
Cells window_of(const Cells& a, const Cells& b) {
  Cells product{};
  for (std::size_t i = 0; i < product.size(); ++i) product[i] = a[i] * b[i];
  return filtered(product, kWindow, [](int) { return 1.0F / (2 * kWindow + 1); });
}

bool in_picture(const Box& box, Size size, int x, int y) {
  const float px = box.x1 + box.width() * (static_cast<float>(x) + 0.5F) / kCells;
  const float py = box.y1 + box.height() * (static_cast<float>(y) + 0.5F) / kCells;
  return px >= 0 && py >= 0 && px < static_cast<float>(size.width) &&
         py < static_cast<float>(size.height);
}

Box scaled(const Box& box, Size from, Size to) {
  const float x = static_cast<float>(to.width) / static_cast<float>(from.width);
  const float y = static_cast<float>(to.height) / static_cast<float>(from.height);
  return {box.x1 * x, box.y1 * y, box.x2 * x, box.y2 * y};
}

}  // namespace

DetailLeft detail_left(const Grey& before, const Grey& after, const Box& box) {
  const Cells a = detail_of(before, box);
  const Cells b = detail_of(after, scaled(box, before.size, after.size));
  const Cells energy = window_of(a, a);
  const Cells common = window_of(a, b);
  const Cells other = window_of(b, b);
  int counted = 0;
  int weakened = 0;
  int left = 0;
  for (int y = kRim; y < kCells - kRim; ++y)
    for (int x = kRim; x < kCells - kRim; ++x) {
      const std::size_t i = index(x, y);
      if (energy[i] < kFlat * kFlat || !in_picture(box, before.size, x, y)) continue;
      ++counted;
      if (common[i] < kLeftOver * energy[i]) continue;
      const bool changed = energy[i] - 2 * common[i] + other[i] > kChanged * energy[i];
      ++(changed ? weakened : left);
    }
  if (counted == 0) return {};
  const double all = counted;
  return {(counted - weakened - left) / all, weakened / all, left / all};
}

}  // namespace facepipe
