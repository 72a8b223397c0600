#include "tests/detector/cascade/oracle.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace facepipe::test {
namespace {

using detector::cascade::Cascade;
using detector::cascade::LevelOptions;

int rounded(double value) { return static_cast<int>(std::nearbyint(value)); }

struct Weights {
  int first = 0;   // index of the pixel to the left or above
  int second = 0;  // index of the next pixel, whose weight is `weight`; the first pixel has 256 -
                   // weight
  int weight = 0;
};

Weights weights_of(int to, int from_length, int to_length) {
  const double scale = 1.0 / (static_cast<double>(to_length) / from_length);
  const double at = scale * (to + 0.5) - 0.5;
  const int first = static_cast<int>(std::floor(at));
  if (first < 0) return {0, 0, 0};
  if (first >= from_length - 1) return {from_length - 1, from_length - 1, 0};
  return {first, first + 1, rounded((at - first) * 256)};
}

/// Returns a table with the sum of f(pixel) over all pixels above and to the left of each place.
std::vector<std::int64_t> sums_of(const GreyBytes& picture, const std::function<int(int)>& f) {
  const auto stride = static_cast<std::size_t>(picture.size.width) + 1;
  std::vector<std::int64_t> sums(stride * (static_cast<std::size_t>(picture.size.height) + 1));
  for (int y = 0; y < picture.size.height; ++y)
    for (int x = 0; x < picture.size.width; ++x) {
      const auto at = static_cast<std::size_t>(y) * stride + static_cast<std::size_t>(x);
      sums[at + stride + 1] = sums[at + stride] + sums[at + 1] - sums[at] + f(picture.at(x, y));
    }
  return sums;
}

class LevelOracle {
 public:
  LevelOracle(const Cascade& cascade, const GreyBytes& level)
      : cascade_(cascade),
        stride_(static_cast<std::size_t>(level.size.width) + 1),
        sums_(sums_of(level, [](int grey) { return grey; })),
        squares_(sums_of(level, [](int grey) { return grey * grey; })) {}

  enum class Fate { no_contrast, fails_at_once, fails, passes };

  [[nodiscard]] Fate fate(int x, int y) const {
    const Size window = cascade_.window;
    const Size inner{window.width - 2, window.height - 2};
    const double area = static_cast<double>(inner.width) * inner.height;
    const auto sum = static_cast<double>(sum_in(sums_, x + 1, y + 1, inner));
    const auto square = static_cast<double>(sum_in(squares_, x + 1, y + 1, inner));
    const double spread = area * square - sum * sum;
    if (!(spread > 0)) return Fate::no_contrast;
    const auto inverse = static_cast<float>(1 / std::sqrt(spread));
    if (!(area * static_cast<double>(inverse) < 0.1)) return Fate::no_contrast;
    for (std::size_t i = 0; i < cascade_.stages.size(); ++i)
      if (!passes(cascade_.stages[i], x, y, inverse))
        return i == 0 ? Fate::fails_at_once : Fate::fails;
    return Fate::passes;
  }

 private:
  [[nodiscard]] std::int64_t sum_in(const std::vector<std::int64_t>& sums, int x, int y,
                                    Size size) const {
    const auto at = [&](int column, int row) {
      return sums[static_cast<std::size_t>(row) * stride_ + static_cast<std::size_t>(column)];
    };
    return at(x, y) - at(x + size.width, y) - at(x, y + size.height) +
           at(x + size.width, y + size.height);
  }

  [[nodiscard]] float value(const detector::cascade::Feature& feature, int x, int y,
                            float inverse) const {
    std::int64_t sum = 0;
    for (int i = 0; i < feature.rect_count; ++i) {
      const detector::cascade::WeightedRect& rect = feature.rects[static_cast<std::size_t>(i)];
      sum += rect.weight * sum_in(sums_, x + rect.x, y + rect.y, {rect.width, rect.height});
    }
    return static_cast<float>(sum) * inverse;
  }

  [[nodiscard]] bool passes(const detector::cascade::Stage& stage, int x, int y,
                            float inverse) const {
    double sum = 0;
    for (std::uint32_t i = 0; i < stage.tree_count; ++i) {
      const detector::cascade::Tree& tree = cascade_.trees[stage.first_tree + i];
      std::int32_t at = 0;
      do {
        const detector::cascade::Node& node =
            cascade_.nodes[tree.first_node + static_cast<unsigned>(at)];
        const bool left = value(cascade_.features[node.feature], x, y, inverse) < node.threshold;
        at = left ? node.left : node.right;
      } while (at > 0);
      sum += static_cast<double>(cascade_.leaves[tree.first_leaf + static_cast<unsigned>(-at)]);
    }
    return !(sum < static_cast<double>(stage.threshold));
  }

  const Cascade& cascade_;
  std::size_t stride_;
  std::vector<std::int64_t> sums_;
  std::vector<std::int64_t> squares_;
};

/// Adds the windows that the cascade accepts in one level. Like OpenCV, it divides the rows into
/// `stripes` stripes, which can leave out the last rows.
void add_windows(const Cascade& cascade, const GreyBytes& picture, float scale, int stripes,
                 std::vector<Box>& boxes) {
  const auto shrunk = [&](int length) { return rounded(static_cast<float>(length) / scale); };
  const auto grown = [&](int length) {
    return static_cast<float>(rounded(static_cast<float>(length) * scale));
  };
  const GreyBytes level =
      resized(picture, {shrunk(picture.size.width), shrunk(picture.size.height)});
  const int columns = level.size.width + 1 - cascade.window.width;
  const int rows = level.size.height + 1 - cascade.window.height;
  if (columns <= 0 || rows <= 0) return;
  const int step = scale < 2 ? 2 : 1;
  const int stripe = std::max((rows / step + stripes - 1) / stripes, 1) * step;
  const LevelOracle oracle(cascade, level);
  for (int y = 0; y < std::min(stripe * stripes, rows); y += step)
    for (int x = 0; x < columns; x += step) {
      const LevelOracle::Fate fate = oracle.fate(x, y);
      if (fate == LevelOracle::Fate::passes)
        boxes.push_back({grown(x), grown(y), grown(x) + grown(cascade.window.width),
                         grown(y) + grown(cascade.window.height)});
      if (fate == LevelOracle::Fate::fails_at_once) x += step;
    }
}

}  // namespace

GreyBytes resized(const GreyBytes& picture, Size size) {
  GreyBytes result{size, {}};
  for (int y = 0; y < size.height; ++y) {
    const Weights v = weights_of(y, picture.size.height, size.height);
    for (int x = 0; x < size.width; ++x) {
      const Weights h = weights_of(x, picture.size.width, size.width);
      const auto across = [&](int row) {
        return (256 - h.weight) * picture.at(h.first, row) + h.weight * picture.at(h.second, row);
      };
      const int sum = (256 - v.weight) * across(v.first) + v.weight * across(v.second);
      result.pixels.push_back(static_cast<std::uint8_t>((sum + (1 << 15)) >> 16));
    }
  }
  return result;
}

std::vector<Box> windows_of(const Cascade& cascade, const GreyBytes& picture,
                            const LevelOptions& options) {
  std::vector<Box> boxes;
  int stripes = 0;
  const Size window = cascade.window;
  for (double factor = 1; rounded(window.width * factor) <= picture.size.width &&
                          rounded(window.height * factor) <= picture.size.height;
       factor *= options.scale_factor) {
    const auto scale = static_cast<float>(factor);
    const int width = rounded(static_cast<float>(window.width) * scale);
    const int height = rounded(static_cast<float>(window.height) * scale);
    if (std::min(width, height) < options.min_face) continue;
    if (options.max_face > 0 && std::max(width, height) > options.max_face) break;
    if (stripes == 0) {
      const int first_width = rounded(static_cast<float>(picture.size.width) / scale);
      stripes = std::max(1, static_cast<int>(std::ceil((first_width + 1 - window.width) / 32.0)));
    }
    add_windows(cascade, picture, scale, stripes, boxes);
  }
  return boxes;
}

Cascade cut(Cascade cascade, std::size_t stages) {
  cascade.stages.resize(std::min(stages, cascade.stages.size()));
  return cascade;
}

}  // namespace facepipe::test
