// Aggregate channel features in plain loops and doubles, pixel by pixel as the algorithm is told:
// nothing is shared with what it checks but the model, the scales' sizes, and the entry of the
// table of lightness that a colour falls on, which single precision decides.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "detector/acf/model/acf.h"
#include "detector/acf/pyramid.h"

namespace facepipe::test {

/// Samples of one plane.
struct OraclePlane {
  int width = 0;
  int height = 0;
  std::vector<double> samples;

  OraclePlane() = default;
  OraclePlane(int columns, int rows)
      : width(columns),
        height(rows),
        samples(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}
  [[nodiscard]] double& at(int x, int y) { return samples[place(x, y)]; }
  [[nodiscard]] double at(int x, int y) const { return samples[place(x, y)]; }
  [[nodiscard]] std::size_t place(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(x);
  }
};
using OraclePlanes = std::vector<OraclePlane>;

/// The padded channels of each of `scales`, which are all of a picture's; rgb has 4 bytes a pixel.
[[nodiscard]] std::vector<OraclePlanes> oracle_pyramid(const acf::Model& model, const cv::Mat& rgb,
                                                       const std::vector<acf::Scale>& scales);

struct OracleWindow {
  int column = 0;
  int row = 0;
  std::int32_t sum = 0;
};
/// What a tree adds for the window at (x, y).
template <typename Cell>
[[nodiscard]] std::int32_t oracle_leaf(const acf::Model& model, const acf::Tree& tree, int x, int y,
                                       const Cell& cell) {
  const int rows = model.window.height / 4;
  const int columns = model.window.width / 4;
  const auto is_left = [&](std::size_t node) {
    const auto id = static_cast<int>(tree.features[node]);
    return cell(id / (rows * columns), x + id / rows % columns, y + id % rows) <
           tree.thresholds[node];
  };
  if (is_left(0)) return tree.leaves[is_left(1) ? 0 : 1];
  return tree.leaves[is_left(2) ? 2 : 3];
}

/// The windows that no tree rejects, tree by tree. `cell(channel, x, y)` gives the channels.
template <typename Cell>
[[nodiscard]] std::vector<OracleWindow> oracle_windows(const acf::Model& model, Size padded,
                                                       const Cell& cell) {
  std::vector<OracleWindow> found;
  for (int y = 0; y + model.window.height / 4 <= padded.height; ++y)
    for (int x = 0; x + model.window.width / 4 <= padded.width; ++x) {
      std::int32_t sum = 0;
      bool is_out = false;
      for (const acf::Tree& tree : model.trees) {
        sum += oracle_leaf(model, tree, x, y, cell);
        is_out = sum <= model.threshold;
        if (is_out) break;
      }
      if (!is_out) found.push_back({x, y, sum});
    }
  return found;
}

}  // namespace facepipe::test
