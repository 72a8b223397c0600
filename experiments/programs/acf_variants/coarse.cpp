#include "experiments/programs/acf_variants/coarse.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "detector/acf/channels.h"
#include "detector/acf/cuda/plan.h"
#include "experiments/programs/acf_variants/trees.h"

namespace facepipe::acf_variants {
namespace {

using detector::acf::DeviceTree;
using detector::acf::Model;

Size places_of(Size cells, Size window) {
  return {std::max(0, cells.width - window.width + 1),
          std::max(0, cells.height - window.height + 1)};
}

/// Returns whether all trees pass a window, and sets its sum.
bool passes(const std::vector<DeviceTree>& trees, std::int32_t threshold, const ScaleCells& cells,
            int column, int row, std::int32_t& sum) {
  sum = 0;
  return walk(trees.data(), 0, static_cast<int>(trees.size()), threshold,
              cells.first + row * cells.stride + column, sum);
}

}  // namespace

void expect_halves(const Model& fine, const Model& coarse) {
  const Size whole = fine.window_cells();
  const Size half = coarse.window_cells();
  if (whole.width != 2 * half.width || whole.height != 2 * half.height)
    throw std::invalid_argument("coarse detector: its window of " + to_string(half) +
                                " cells isn't half of the fine one's " + to_string(whole));
}

CoarseFineSearch::CoarseFineSearch(const Model& fine, const Model& coarse, std::int64_t stride,
                                   std::int64_t plane)
    : fine_(fine),
      coarse_(coarse),
      stride_(stride),
      plane_(plane),
      fine_trees_(detector::acf::trees_for(fine, stride, plane)),
      coarse_trees_(detector::acf::trees_for(coarse, stride, plane)),
      coarse_planes_(static_cast<std::size_t>(detector::acf::kChannels * plane)) {
  expect_halves(fine, coarse);
}

ScaleCells CoarseFineSearch::make_coarse(const ScaleCells& cells) {
  const Size size = coarse_cells(cells.size);
  for (int channel = 0; channel < detector::acf::kChannels; ++channel)
    for (int row = 0; row < size.height; ++row)
      for (int column = 0; column < size.width; ++column)
        coarse_planes_[static_cast<std::size_t>(channel * plane_ + row * stride_ + column)] =
            coarse_cell(cells.first + channel * plane_ + 2 * row * stride_ + 2 * column, stride_);
  return {coarse_planes_.data(), size, stride_, plane_};
}

std::vector<PassedWindow> CoarseFineSearch::search(const ScaleCells& cells) {
  const Size places = places_of(cells.size, fine_.window_cells());
  const ScaleCells coarse = make_coarse(cells);
  std::vector<PassedWindow> passed;
  left_ = 0;
  for (int y = 0; y < coarse_places(places).height; ++y)
    for (int x = 0; x < coarse_places(places).width; ++x) {
      std::int32_t sum = 0;
      if (!passes(coarse_trees_, coarse_.threshold, coarse, x, y, sum)) continue;
      for (int row = 2 * y; row < std::min(2 * y + 2, places.height); ++row)
        for (int column = 2 * x; column < std::min(2 * x + 2, places.width); ++column) {
          ++left_;
          if (passes(fine_trees_, fine_.threshold, cells, column, row, sum))
            passed.push_back({column, row, sum});
        }
    }
  std::ranges::sort(
      passed, {}, [](const PassedWindow& window) { return std::pair(window.row, window.column); });
  return passed;
}

std::vector<PassedWindow> CoarseFineSearch::search_fine(const ScaleCells& cells) const {
  const Size places = places_of(cells.size, fine_.window_cells());
  std::vector<PassedWindow> passed;
  for (int row = 0; row < places.height; ++row)
    for (int column = 0; column < places.width; ++column)
      if (std::int32_t sum = 0; passes(fine_trees_, fine_.threshold, cells, column, row, sum))
        passed.push_back({column, row, sum});
  return passed;
}

}  // namespace facepipe::acf_variants
