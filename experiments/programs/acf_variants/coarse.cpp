#include "experiments/programs/acf_variants/coarse.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "detector/acf/channels.h"
#include "experiments/programs/acf_variants/trees.h"

namespace facepipe::acf_variants {
namespace {

using detector::acf::DeviceTree;
using detector::acf::Model;

Size places_of(Size cells, Size window) {
  return {std::max(0, cells.width - window.width + 1),
          std::max(0, cells.height - window.height + 1)};
}

/// A model's trees, and what they are asked.
struct Classifier {
  Classifier(const Model& model, const ScaleCells& cells)
      : trees(trees_for(model, cells.stride, cells.plane)), threshold(model.threshold) {}

  [[nodiscard]] bool passes(const ScaleCells& cells, int column, int row, std::int32_t& sum) const {
    sum = 0;
    return walk(trees.data(), 0, static_cast<int>(trees.size()), threshold,
                cells.first + row * cells.stride + column, sum);
  }

  std::vector<DeviceTree> trees;
  std::int32_t threshold;
};

}  // namespace

std::vector<DeviceTree> trees_for(const Model& model, std::int64_t stride, std::int64_t plane) {
  const Size window = model.window_cells();
  std::vector<DeviceTree> trees;
  trees.reserve(model.trees.size());
  for (const detector::acf::Tree& tree : model.trees) {
    DeviceTree& made = trees.emplace_back();
    std::ranges::copy(tree.thresholds, made.thresholds);
    std::ranges::copy(tree.leaves, made.leaves);
    for (std::size_t node = 0; node < tree.features.size(); ++node) {
      const auto feature = static_cast<int>(tree.features[node]);
      const std::int64_t column = feature / window.height % window.width;
      const std::int64_t channel = feature / window.height / window.width;
      const std::int64_t samples = channel * plane + (feature % window.height) * stride + column;
      made.offsets[node] = static_cast<std::int32_t>(samples * std::int64_t{sizeof(float)});
    }
  }
  return trees;
}

void expect_halves(const Model& fine, const Model& coarse) {
  const Size whole = fine.window_cells();
  const Size half = coarse.window_cells();
  if (whole.width != 2 * half.width || whole.height != 2 * half.height)
    throw std::invalid_argument("coarse detector: its window of " + to_string(half) +
                                " cells isn't half of the fine one's " + to_string(whole));
}

CoarseFineSearch::CoarseFineSearch(const Model& fine, const Model& coarse)
    : fine_(fine), coarse_(coarse) {
  expect_halves(fine, coarse);
}

ScaleCells CoarseFineSearch::make_coarse(const ScaleCells& cells) {
  const Size size = coarse_cells(cells.size);
  const std::int64_t plane = std::int64_t{size.width} * size.height;
  coarse_planes_.resize(static_cast<std::size_t>(detector::acf::kChannels * plane));
  float* to = coarse_planes_.data();
  for (int channel = 0; channel < detector::acf::kChannels; ++channel)
    for (int row = 0; row < size.height; ++row)
      for (int column = 0; column < size.width; ++column)
        *to++ =
            coarse_cell(cells.first + channel * cells.plane + 2 * row * cells.stride + 2 * column,
                        cells.stride);
  return {coarse_planes_.data(), size, size.width, plane};
}

std::vector<PassedWindow> CoarseFineSearch::search(const ScaleCells& cells) {
  const Size places = places_of(cells.size, fine_.window_cells());
  const ScaleCells coarse_planes = make_coarse(cells);
  const Classifier coarse(coarse_, coarse_planes);
  const Classifier fine(fine_, cells);
  std::vector<PassedWindow> passed;
  left_ = 0;
  for (int y = 0; y < coarse_places(places).height; ++y)
    for (int x = 0; x < coarse_places(places).width; ++x) {
      std::int32_t sum = 0;
      if (!coarse.passes(coarse_planes, x, y, sum)) continue;
      for (int row = 2 * y; row < std::min(2 * y + 2, places.height); ++row)
        for (int column = 2 * x; column < std::min(2 * x + 2, places.width); ++column) {
          ++left_;
          if (fine.passes(cells, column, row, sum)) passed.push_back({column, row, sum});
        }
    }
  std::ranges::sort(
      passed, {}, [](const PassedWindow& window) { return std::pair(window.row, window.column); });
  return passed;
}

std::vector<PassedWindow> CoarseFineSearch::search_fine(const ScaleCells& cells) const {
  const Size places = places_of(cells.size, fine_.window_cells());
  const Classifier fine(fine_, cells);
  std::vector<PassedWindow> passed;
  for (int row = 0; row < places.height; ++row)
    for (int column = 0; column < places.width; ++column)
      if (std::int32_t sum = 0; fine.passes(cells, column, row, sum))
        passed.push_back({column, row, sum});
  return passed;
}

}  // namespace facepipe::acf_variants
