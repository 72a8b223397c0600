#include "detector/cascade/levels.h"

#include <algorithm>
#include <cmath>

namespace facepipe::detector::cascade {
namespace {

int rounded(double value) { return static_cast<int>(std::lrint(value)); }

int scaled(int length, float scale) { return rounded(static_cast<float>(length) * scale); }

int shrunk(int length, float scale) { return rounded(static_cast<float>(length) / scale); }

bool is_wanted(Size box, const LevelOptions& options) {
  return std::min(box.width, box.height) >= options.min_face &&
         (options.max_face <= 0 || std::max(box.width, box.height) <= options.max_face);
}

std::vector<Level> wanted_levels(Size window, Size picture, const LevelOptions& options) {
  std::vector<Level> levels;
  for (double factor = 1;; factor *= options.scale_factor) {
    if (rounded(window.width * factor) > picture.width ||
        rounded(window.height * factor) > picture.height)
      return levels;
    Level level;
    level.scale = static_cast<float>(factor);
    level.size = {shrunk(picture.width, level.scale), shrunk(picture.height, level.scale)};
    level.step = level.scale < 2 ? 2 : 1;
    level.box_size = {scaled(window.width, level.scale), scaled(window.height, level.scale)};
    if (is_wanted(level.box_size, options)) levels.push_back(level);
  }
}

int ceil_divided(int value, int by) { return (value + by - 1) / by; }

// Returns how many rows OpenCV scans. OpenCV divides the rows of each level into `stripes` stripes.
// The number of stripes is the same in all levels: one stripe for each 32 columns of window
// positions in the first level. `rows / step` is rounded down, so OpenCV omits the last rows of
// some levels.
int rows_in_stripes(int rows, int step, int stripes) {
  const int stripe = std::max(ceil_divided(rows / step, stripes), 1) * step;
  return std::min(stripes * stripe, rows);
}

}  // namespace

LevelOptions level_options(const DetectorOptions& options) {
  LevelOptions levels;
  levels.scale_factor = options.scale_factor.value_or(levels.scale_factor);
  levels.min_face = options.min_face;
  levels.max_face = options.max_face;
  return levels;
}

std::vector<Level> plan_levels(Size window, Size picture, const LevelOptions& options) {
  std::vector<Level> levels = wanted_levels(window, picture, options);
  if (levels.empty()) return levels;
  const int stripes = ceil_divided(levels.front().size.width + 1 - window.width, 32);
  for (Level& level : levels) {
    const int columns = level.size.width + 1 - window.width;
    const int rows = level.size.height + 1 - window.height;
    if (columns <= 0 || rows <= 0) continue;
    level.places = {
        ceil_divided(columns, level.step),
        ceil_divided(rows_in_stripes(rows, level.step, std::max(stripes, 1)), level.step)};
  }
  std::erase_if(levels, [](const Level& level) {
    return level.places.width == 0 || level.places.height == 0;
  });
  return levels;
}

Box window_box(const Level& level, int x, int y) {
  const auto left = static_cast<float>(scaled(x, level.scale));
  const auto top = static_cast<float>(scaled(y, level.scale));
  return {left, top, left + static_cast<float>(level.box_size.width),
          top + static_cast<float>(level.box_size.height)};
}

}  // namespace facepipe::detector::cascade
