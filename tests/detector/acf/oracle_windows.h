// Evaluates a model's windows tree by tree in plain loops. This code is separate from oracle.h,
// because tests without OpenCV use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/geometry.h"
#include "detector/acf/model/acf.h"

namespace facepipe::test {

struct OracleWindow {
  int column = 0;
  int row = 0;
  std::int32_t sum = 0;
};

/// Returns the leaf that a tree adds for the window at (x, y).
template <typename Cell>
[[nodiscard]] std::int32_t oracle_leaf(const detector::acf::Model& model,
                                       const detector::acf::Tree& tree, int x, int y,
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

/// Returns the windows that no tree rejects. cell(channel, x, y) returns a sample of the channels.
template <typename Cell>
[[nodiscard]] std::vector<OracleWindow> oracle_windows(const detector::acf::Model& model,
                                                       Size padded, const Cell& cell) {
  std::vector<OracleWindow> found;
  for (int y = 0; y + model.window.height / 4 <= padded.height; ++y)
    for (int x = 0; x + model.window.width / 4 <= padded.width; ++x) {
      std::int32_t sum = 0;
      bool is_out = false;
      for (const detector::acf::Tree& tree : model.trees) {
        sum += oracle_leaf(model, tree, x, y, cell);
        is_out = sum <= model.threshold;
        if (is_out) break;
      }
      if (!is_out) found.push_back({x, y, sum});
    }
  return found;
}

}  // namespace facepipe::test
