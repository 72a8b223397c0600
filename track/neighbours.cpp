#include "track/neighbours.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace facepipe::track {
namespace {

constexpr float kFirstSides = 32;  ///< sides in the first layer are less than this
constexpr float kNextSides = 4;    ///< factor from one layer's limit to the next
/// A grid of a layer of n boxes has about kCellsOfRoot * sqrt(n) cells on each axis.
constexpr float kCellsOfRoot = 1.5F;
constexpr float kMostCells = 256;   ///< largest number of cells on each axis
constexpr float kFarthest = 32768;  ///< limit of a grid, because centres far outside of the picture
                                    ///< must not make its cells larger
/// This margin is added to distances. It is larger than the rounding error of sums of such
/// coordinates.
constexpr float kRounding = 1.0F / 16;

/// Holds the range of the positions that were added, clamped to 0..kFarthest.
struct Extent {
  float first = kFarthest;
  float last = 0;

  void add(float at) {
    first = std::min(first, std::clamp(at, 0.0F, kFarthest));
    last = std::max(last, std::clamp(at, 0.0F, kFarthest));
  }
};

}  // namespace

class Neighbours::Builder {
 public:
  Builder(Neighbours& made, std::span<const Box> boxes) : made_(made), boxes_(boxes) {
    measure();
    divide();
    sort();
  }

 private:
  struct Bounds {
    Extent x;
    Extent y;
    std::size_t count = 0;
  };

  void measure() {
    layers_.reserve(boxes_.size());
    for (const Box& box : boxes_) {
      const MeasuredBox measured = box;
      const Spot spot(box);
      const std::size_t i = layers_.emplace_back(layer_of(measured.side));
      Layer& layer = made_.layers_[i];
      layer.least_side = std::min(layer.least_side, measured.side);
      layer.most_side = std::max(layer.most_side, measured.side);
      layer.widest = std::max(layer.widest, spot.width);
      layer.highest = std::max(layer.highest, spot.height);
      bounds_[i].x.add(spot.centre.x);
      bounds_[i].y.add(spot.centre.y);
      ++bounds_[i].count;
    }
  }

  static std::size_t layer_of(float side) {
    std::size_t layer = 0;
    for (float limit = kFirstSides; side >= limit && layer + 1 < kLayers; limit *= kNextSides)
      ++layer;
    return layer;
  }

  void divide() {
    std::size_t cells = 0;
    for (std::size_t i = 0; i < kLayers; ++i) {
      Layer& layer = made_.layers_[i];
      layer.first_cell = cells;
      const float wanted =
          std::ceil(kCellsOfRoot * std::sqrt(static_cast<float>(bounds_[i].count)));
      const auto on_axis = static_cast<int>(std::min(wanted, kMostCells));
      layer.x = axis_over(bounds_[i].x, on_axis);
      layer.y = axis_over(bounds_[i].y, on_axis);
      cells += static_cast<std::size_t>(on_axis * on_axis);
    }
    made_.begins_.assign(cells + 1, 0);
  }

  static Axis axis_over(const Extent& extent, int cells) {
    return {extent.first, static_cast<float>(cells) / std::max(extent.last - extent.first, 1.0F),
            cells};
  }

  /// Sorts the boxes by layer and cell, with a counting sort.
  void sort() {
    std::vector<std::size_t> cells;
    cells.reserve(boxes_.size());
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      const Layer& layer = made_.layers_[layers_[i]];
      const Point centre = Spot(boxes_[i]).centre;
      ++made_.begins_[cells.emplace_back(
          layer.cell(layer.x.cell_of(centre.x), layer.y.cell_of(centre.y)))];
    }
    // Now each entry is the end of its cell. Each box decreases its cell's entry by one and takes
    // that position, so at the end each entry is the beginning of its cell.
    std::inclusive_scan(made_.begins_.begin(), made_.begins_.end(), made_.begins_.begin());
    made_.spots_.resize(boxes_.size());
    made_.boxes_.resize(boxes_.size());
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      const std::uint32_t place = --made_.begins_[cells[i]];
      made_.spots_[place] = Spot(boxes_[i]);
      made_.boxes_[place] = {boxes_[i], static_cast<std::uint32_t>(i)};
    }
  }

  Neighbours& made_;
  std::span<const Box> boxes_;
  std::vector<std::size_t> layers_;  ///< the layer of each box
  std::array<Bounds, kLayers> bounds_;
};

Neighbours::Neighbours(std::span<const Box> boxes) { Builder(*this, boxes); }

std::span<const std::uint32_t> Neighbours::find(const Box& box, const Nearness& near,
                                                std::vector<std::uint32_t>& room) const {
  if (room.size() < boxes_.size()) room.resize(boxes_.size());
  const Spot spot(box);
  std::uint32_t* end = room.data();
  for (const Layer& layer : layers_)
    if (layer.least_side <= near.most_side && layer.most_side >= near.least_side)
      end = find_in(layer, spot, near, end);
  return {room.data(), end};
}

std::uint32_t* Neighbours::find_in(const Layer& layer, const Spot& spot, const Nearness& near,
                                   std::uint32_t* found) const {
  const auto reach = [&](float length, float other) {
    return std::max(near.share * (length + other), near.reach) + kRounding;
  };
  const float x = reach(spot.width, layer.widest);
  const float y = reach(spot.height, layer.highest);
  const int left = layer.x.cell_of(spot.centre.x - x);
  const int right = layer.x.cell_of(spot.centre.x + x);
  const int bottom = layer.y.cell_of(spot.centre.y + y);
  for (int row = layer.y.cell_of(spot.centre.y - y); row <= bottom; ++row) {
    const std::uint32_t begin = begins_[layer.cell(left, row)];
    const std::uint32_t end = begins_[layer.cell(right, row) + 1];
    for (std::uint32_t i = begin; i < end; ++i) {
      // This loop has no branches, because the processor could not predict them.
      const Spot& other = spots_[i];
      *found = i;
      const bool beside =
          std::abs(other.centre.x - spot.centre.x) <= reach(spot.width, other.width);
      const bool level =
          std::abs(other.centre.y - spot.centre.y) <= reach(spot.height, other.height);
      found += (beside ? 1U : 0U) & (level ? 1U : 0U);
    }
  }
  return found;
}

}  // namespace facepipe::track
