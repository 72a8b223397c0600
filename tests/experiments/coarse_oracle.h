// Runs a coarse detector before a fine one by its definition, in plain loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "detector/acf/model/acf.h"
#include "experiments/programs/acf_variants/coarse.h"
#include "tests/detector/acf/models.h"
#include "tests/detector/acf/oracle_windows.h"

namespace facepipe::test {

/// Returns a fine model, whose window has an even number of cells in each direction, and a coarse
/// model for it. `lower` is subtracted from the coarse model's leaves: the larger it is, the more
/// windows the coarse model rejects.
inline std::pair<detector::acf::Model, detector::acf::Model> fine_and_coarse(
    std::size_t trees, unsigned seed, std::int32_t lower = detector::acf::kUnit / 5) {
  detector::acf::Model fine = small_model(trees, seed);
  fine.window = {32, 40};
  detector::acf::Model coarse = small_model(8, seed + 1);
  coarse.window = {fine.window.width / 2, fine.window.height / 2};
  for (detector::acf::Tree& tree : coarse.trees) {
    for (std::uint32_t& feature : tree.features) feature %= 4 * 5 * 10;
    for (std::int32_t& leaf : tree.leaves) leaf -= lower;
  }
  return {fine, coarse};
}

/// Returns the windows that the fine model accepts, if the coarse model accepts the coarse window
/// at half the column and half the row. Windows are ordered by row, then by column. A coarse cell
/// is the mean of 2x2 cells.
template <typename Cell>
[[nodiscard]] std::vector<OracleWindow> oracle_coarse_fine(const detector::acf::Model& fine,
                                                           const detector::acf::Model& coarse,
                                                           Size padded, const Cell& cell) {
  const auto mean = [&](int channel, int x, int y) {
    const float top = cell(channel, 2 * x, 2 * y) + cell(channel, 2 * x + 1, 2 * y);
    const float bottom = cell(channel, 2 * x, 2 * y + 1) + cell(channel, 2 * x + 1, 2 * y + 1);
    return (top + bottom) / 4;
  };
  std::set<std::pair<int, int>> left;
  for (const OracleWindow& window :
       oracle_windows(coarse, {padded.width / 2, padded.height / 2}, mean))
    left.emplace(window.column, window.row);
  std::vector<OracleWindow> found;
  for (const OracleWindow& window : oracle_windows(fine, padded, cell))
    if (left.contains({window.column / 2, window.row / 2})) found.push_back(window);
  return found;
}

/// Converts the oracle's windows to the search's type.
[[nodiscard]] inline std::vector<acf_variants::PassedWindow> passed_windows(
    const std::vector<OracleWindow>& windows) {
  std::vector<acf_variants::PassedWindow> passed;
  for (const OracleWindow& window : windows)
    passed.push_back({window.column, window.row, window.sum});
  return passed;
}

}  // namespace facepipe::test
