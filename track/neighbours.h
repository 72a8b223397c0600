// Sorts boxes by their positions. In a crowd, each box then needs to be compared only with the
// boxes near it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/geometry.h"

namespace facepipe::track {

/// Holds a box with the values that each comparison needs.
struct MeasuredBox {
  Box box;
  float area = 0;
  float side = 0;  ///< the root of the area

  MeasuredBox() = default;
  /*implicit*/ MeasuredBox(const Box& its)  // NOLINT(google-explicit-constructor)
      : box(its), area(its.width() * its.height()), side(std::sqrt(area)) {}
};

/// Defines which boxes are near to a given box. Their sides are from `least_side` to `most_side`.
/// On each axis, the distance of the centres is at most `share` times the sum of both lengths, or
/// at most `reach`.
struct Nearness {
  float least_side = 0;
  float most_side = std::numeric_limits<float>::infinity();
  float share = 0;  ///< with 1/2, boxes that touch are near
  float reach = 0;  ///< in pixels
};

/// Holds copies of boxes, in layers by their size. Without layers, one large box would enlarge the
/// area in which small boxes are searched. Each layer has a grid. A box is in the cell that
/// contains its centre.
class Neighbours {
 public:
  struct Neighbour {
    MeasuredBox box;
    std::uint32_t number = 0;  ///< index among the boxes
  };

  Neighbours() = default;  ///< has no boxes
  explicit Neighbours(std::span<const Box> boxes);

  /// Returns the indices, for operator[], of all boxes that are near to `box`, in any order. The
  /// result can include a few boxes that are slightly too far.
  /// @param room  memory for the result; it is enlarged if needed, and never made smaller
  [[nodiscard]] std::span<const std::uint32_t> find(const Box& box, const Nearness& near,
                                                    std::vector<std::uint32_t>& room) const;

  [[nodiscard]] const Neighbour& operator[](std::uint32_t place) const { return boxes_[place]; }

 private:
  class Builder;

  /// Holds the values that the search reads.
  struct Spot {
    Point centre;
    float width = 0;
    float height = 0;

    Spot() = default;
    explicit Spot(const Box& box)
        : centre{(box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2},
          width(box.width()),
          height(box.height()) {}
  };

  /// Divides an axis into cells of equal length, from the first to the last centre. Positions
  /// outside of this range belong to the outermost cells.
  struct Axis {
    float first = 0;
    float per_pixel = 0;
    int cells = 0;

    [[nodiscard]] int cell_of(float at) const {
      const float cell = (at - first) * per_pixel;
      return cell > 0 ? static_cast<int>(std::min(cell, static_cast<float>(cells - 1))) : 0;
    }
  };

  struct Layer {
    float least_side = std::numeric_limits<float>::infinity();
    float most_side = -1;  ///< below any side, for a layer without boxes
    float widest = 0;
    float highest = 0;
    Axis x;
    Axis y;
    std::size_t first_cell = 0;  ///< index in begins_

    [[nodiscard]] std::size_t cell(int column, int row) const {
      return first_cell + static_cast<std::size_t>(row * x.cells + column);
    }
  };

  /// Writes the indices from `found` on, where there must be room for all boxes. Returns the end of
  /// the written indices.
  std::uint32_t* find_in(const Layer& layer, const Spot& spot, const Nearness& near,
                         std::uint32_t* found) const;

  static constexpr std::size_t kLayers = 5;
  std::array<Layer, kLayers> layers_;
  /// The index of each cell's first box, row by row; then the end of the last cell.
  std::vector<std::uint32_t> begins_;
  std::vector<Spot> spots_;       ///< one for each box
  std::vector<Neighbour> boxes_;  ///< sorted by layer and cell
};

}  // namespace facepipe::track
