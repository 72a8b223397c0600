#include "detector/tiling.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace facepipe::detector {
namespace {

constexpr int kStep = 32;

// kLongestTileSide and kReducedPixels limit the memory of a run of the network.
constexpr int kLongestTileSide = 2048;
constexpr double kReducedPixels = 4 << 20;

// Side of a face in pixels of the reduced picture. There, a face of this size is found as reliably
// as in a tile.
constexpr double kSureFace = 64;

// A face at least this far from a tile's edge is found reliably, and its box is complete.
constexpr int kMargin = 32;

int round_up(double length) { return static_cast<int>(std::ceil(length / kStep)) * kStep; }

struct Axis {
  int tiles;
  int length;
};

/// Returns the longest distance between the beginnings of neighbouring tiles.
int longest_step(int tiles, int tile, int picture) {
  const int steps = (picture - tile) / kStep;
  return (steps + tiles - 2) / (tiles - 1) * kStep;
}

/// Returns the smallest possible number of tiles, and their smallest possible length.
Axis cut(int picture, int overlap) {
  if (picture <= kLongestTileSide) return {1, picture};
  for (int tiles = 2;; ++tiles)
    for (int tile = picture % kStep; tile <= kLongestTileSide; tile += kStep)
      if (longest_step(tiles, tile, picture) + overlap <= tile) return {tiles, tile};
}

/// Returns where a tile begins on an axis. The tiles are spread evenly.
int begin_of(int tile, int tiles, int length, int picture) {
  if (tiles == 1) return 0;
  const int steps = (picture - length) / kStep;
  return steps * tile / (tiles - 1) * kStep;
}

}  // namespace

PixelPlace Tiling::origin(int index) const {
  return {begin_of(index % columns, columns, tile.frame.width, whole.frame.width),
          begin_of(index / columns, rows, tile.frame.height, whole.frame.height)};
}

// Orientation turns the stored picture to the upright one. This function does the reverse: it turns
// back, then mirrors back.
PixelPlace Tiling::stored_origin(int index, Orientation orientation) const {
  const auto [x, y] = origin(index);
  const int right = whole.frame.width - tile.frame.width - x;
  const int below = whole.frame.height - tile.frame.height - y;
  PixelPlace place{x, y};
  int beyond = right;  // columns of the stored picture to the right of the tile
  switch (orientation.quarter_turns) {
    case 1:
      place = {y, right};
      beyond = below;
      break;
    case 2:
      place = {right, below};
      beyond = x;
      break;
    case 3:
      place = {below, x};
      beyond = y;
      break;
    default:
      break;
  }
  if (orientation.mirrored) place.x = beyond;
  return place;
}

int Tiling::largest_face() const { return overlap - 2 * kMargin; }

Box Tiling::kept_area(int index) const {
  constexpr float kAnywhere = std::numeric_limits<float>::max();
  const auto margin = static_cast<float>(kMargin);
  const int column = index % columns;
  const int row = index / columns;
  return {column > 0 ? margin : -kAnywhere, row > 0 ? margin : -kAnywhere,
          column + 1 < columns ? static_cast<float>(tile.frame.width) - margin : kAnywhere,
          row + 1 < rows ? static_cast<float>(tile.frame.height) - margin : kAnywhere};
}

std::optional<Tiling> tiling_for(Size picture, const std::optional<Size>& detect_size,
                                 int multiple) {
  const double pixels = static_cast<double>(picture.width) * picture.height;
  if (detect_size || pixels <= static_cast<double>(kLargestUntiled)) return std::nullopt;
  const double scale = std::sqrt(kReducedPixels / pixels);
  const auto reduced = [scale](int side) {
    return std::max(1, static_cast<int>(std::floor(side * scale)));
  };
  Tiling tiling;
  tiling.whole =
      fit_network(picture, Size{reduced(picture.width), reduced(picture.height)}, multiple);
  tiling.overlap = round_up(kSureFace / scale + 2 * kMargin);
  const Axis across = cut(picture.width, tiling.overlap);
  const Axis down = cut(picture.height, tiling.overlap);
  tiling.columns = across.tiles;
  tiling.rows = down.tiles;
  tiling.tile = fit_network({across.length, down.length}, std::nullopt, multiple);
  return tiling;
}

void append_kept(Detections& to, const Detections& of_tile, const Tiling& tiling, int index) {
  const Box area = tiling.kept_area(index);
  const PixelPlace origin = tiling.origin(index);
  const auto x = static_cast<float>(origin.x);
  const auto y = static_cast<float>(origin.y);
  for (std::size_t i = 0; i < of_tile.size(); ++i) {
    const Box& box = of_tile.boxes[i];
    if (box.x1 < area.x1 || box.y1 < area.y1 || box.x2 > area.x2 || box.y2 > area.y2) continue;
    to.push_back({box.x1 + x, box.y1 + y, box.x2 + x, box.y2 + y}, of_tile.scores[i], of_tile, i);
    if (!of_tile.has_landmarks()) continue;
    for (Point& point : to.landmarks.back()) point = {point.x + x, point.y + y};
  }
}

}  // namespace facepipe::detector
