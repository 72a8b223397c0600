// Measures the detail of a part of a picture, in cells. Detail means the structures that identify a
// face. Coarser and finer structures are left out.
#pragma once

#include <cstddef>
#include <vector>

#include "core/geometry.h"
#include "verify/grey.h"

namespace facepipe::verify {

/// A face is divided into this many cells on each axis.
inline constexpr int kFaceCells = 20;

/// Says where a part of a picture lies, in pixels: its first corner, and the vectors from this
/// corner along the part's first row and first column. The part may be turned or mirrored, and may
/// extend beyond the picture.
struct Area {
  Point corner;
  Point across;
  Point down;
};

[[nodiscard]] Area area_of(const Box& box);
/// Returns the same part of the picture after the picture is scaled to another size.
[[nodiscard]] Box scaled(const Box& box, Size from, Size to);
[[nodiscard]] Area scaled(const Area& area, Size from, Size to);
/// Returns where the part lies after the whole picture (of size `picture`) is turned.
[[nodiscard]] Area turned(const Area& area, Size picture, Orientation turn);
/// Returns the same part of the picture, mirrored left to right.
[[nodiscard]] Area mirrored(const Area& area);
/// Returns the area enlarged by `cells` cells on each side. `area` has kFaceCells cells on each
/// axis.
[[nodiscard]] Area grown(const Area& area, int cells);

/// Holds a square of cells.
class Cells {
 public:
  explicit Cells(int side)
      : side_(side), values_(static_cast<std::size_t>(side) * static_cast<std::size_t>(side)) {}

  [[nodiscard]] int side() const { return side_; }
  [[nodiscard]] float& at(int x, int y) { return values_[index(x, y)]; }
  [[nodiscard]] float at(int x, int y) const { return values_[index(x, y)]; }

 private:
  [[nodiscard]] std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(side_) +
           static_cast<std::size_t>(x);
  }

  int side_;
  std::vector<float> values_;
};

/// Returns the mean of each cell of an area, minus the means blurred with a sigma of 1.5 cells. For
/// a face with kFaceCells cells, this leaves 2.5 to 10 cycles per face.
[[nodiscard]] Cells detail_of(const Grey& picture, const Area& area, int side = kFaceCells);

/// Multiplies two squares cell by cell, and averages the products over the 7 x 7 cells around each
/// cell.
[[nodiscard]] Cells mean_products(const Cells& a, const Cells& b);

}  // namespace facepipe::verify
