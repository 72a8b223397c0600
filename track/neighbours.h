// Boxes by where they lie, so that of a crowd only those around another box are looked at.
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

/// A box with what each comparison needs of it.
struct MeasuredBox {
  Box box;
  float area = 0;
  float side = 0;  ///< the root of the area

  MeasuredBox() = default;
  /*implicit*/ MeasuredBox(const Box& its)  // NOLINT(google-explicit-constructor)
      : box(its), area(its.width() * its.height()), side(std::sqrt(area)) {}
};

/// What is near to a box: of sides in this range, both ends included, with a centre that on either
/// axis is no further from the box' than `share` of both lengths together, or than `reach`.
struct Nearness {
  float least_side = 0;
  float most_side = std::numeric_limits<float>::infinity();
  float share = 0;  ///< of 1/2 are near those that touch
  float reach = 0;  ///< pixels
};

/// Boxes in layers by their size, or for one large box small ones would be looked for far away; in
/// each layer by the cell of a grid that holds their centre. Owns copies of them.
class Neighbours {
 public:
  struct Neighbour {
    MeasuredBox box;
    std::uint32_t number = 0;  ///< among the boxes
  };

  Neighbours() = default;  ///< of no boxes
  explicit Neighbours(std::span<const Box> boxes);

  /// The places, for operator[], of all that are near to the box, and perhaps of some that are as
  /// good as near, in no order.
  /// @param room  where they are put; it is made larger if need be, and never smaller
  [[nodiscard]] std::span<const std::uint32_t> find(const Box& box, const Nearness& near,
                                                    std::vector<std::uint32_t>& room) const;

  [[nodiscard]] const Neighbour& operator[](std::uint32_t place) const { return boxes_[place]; }

 private:
  class Builder;

  /// What finding looks at.
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

  /// Cells of equal length from the first to the last centre. What is further out belongs to the
  /// outermost.
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
    float most_side = -1;  ///< of a layer without boxes less than any
    float widest = 0;
    float highest = 0;
    Axis x;
    Axis y;
    std::size_t first_cell = 0;  ///< in begins_

    [[nodiscard]] std::size_t cell(int column, int row) const {
      return first_cell + static_cast<std::size_t>(row * x.cells + column);
    }
  };

  /// Puts them from `found` on, where there is room for all boxes; gives their end.
  std::uint32_t* find_in(const Layer& layer, const Spot& spot, const Nearness& near,
                         std::uint32_t* found) const;

  static constexpr std::size_t kLayers = 5;
  std::array<Layer, kLayers> layers_;
  std::vector<std::uint32_t> begins_;  ///< of each cell's boxes, row by row; and the last's end
  std::vector<Spot> spots_;            ///< of the boxes
  std::vector<Neighbour> boxes_;       ///< by layer and cell
};

}  // namespace facepipe::track
