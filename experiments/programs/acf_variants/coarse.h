// A coarse detector before the usual, fine one, as Van Ranst et al. tried it (section 4.2.2): it
// has its own trees and looks at cells of 8 x 8 pixels. Kernels use this source, and so does the
// search on one core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/geometry.h"
#include "core/host_device.h"
#include "detector/acf/cuda/kernels.h"
#include "detector/acf/model/acf.h"
#include "nms/predicate.h"

namespace facepipe::acf_variants {

/// Returns a coarse cell, the mean of 2 x 2 cells.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float coarse_cell(const float* top, std::int64_t stride) {
  const float* const bottom = top + stride;
  return nms::mul(nms::add(nms::add(top[0], top[1]), nms::add(bottom[0], bottom[1])), 0.25F);
}

/// Returns how many coarse cells so many cells make. A last odd row or column is left out.
[[nodiscard]] FACEPIPE_HOST_DEVICE constexpr Size coarse_cells(Size cells) {
  return {cells.width / 2, cells.height / 2};
}

/// Returns the places of coarse windows. The one at (x, y) stands for the fine windows at 2x and
/// 2x + 1, and 2y and 2y + 1, as far as there are so many places.
[[nodiscard]] FACEPIPE_HOST_DEVICE constexpr Size coarse_places(Size places) {
  return {(places.width + 1) / 2, (places.height + 1) / 2};
}

/// Channels of one scale: the first cell of the first one, and the samples from one row, and from
/// one channel, to the next.
struct ScaleCells {
  const float* first = nullptr;
  Size size;  ///< in cells, with padding
  std::int64_t stride = 0;
  std::int64_t plane = 0;
};

/// A window that passes, by its place in the scale.
struct PassedWindow {
  int column = 0;
  int row = 0;
  std::int32_t sum = 0;
  friend bool operator==(const PassedWindow&, const PassedWindow&) = default;
};

/// Throws std::invalid_argument if the coarse window isn't half as wide and high as the fine one,
/// in cells.
void expect_halves(const detector::acf::Model& fine, const detector::acf::Model& coarse);

/// Searches scales on one core with plain loops.
class CoarseFineSearch {
 public:
  /// `stride` and `plane` are those of all cells that will be searched. `fine` and `coarse` must
  /// outlive this object. Throws what expect_halves() throws.
  CoarseFineSearch(const detector::acf::Model& fine, const detector::acf::Model& coarse,
                   std::int64_t stride, std::int64_t plane);

  /// Returns the windows that both detectors pass, by row, then by column.
  [[nodiscard]] std::vector<PassedWindow> search(const ScaleCells& cells);
  /// Returns the windows that the fine detector passes if it searches alone, in the same order.
  [[nodiscard]] std::vector<PassedWindow> search_fine(const ScaleCells& cells) const;
  /// Returns the number of fine windows that the coarse detector left in the last search().
  [[nodiscard]] std::size_t left() const { return left_; }

 private:
  /// Makes coarse cells with the same stride and plane, in the planes' upper left corner.
  [[nodiscard]] ScaleCells make_coarse(const ScaleCells& cells);

  const detector::acf::Model& fine_;
  const detector::acf::Model& coarse_;
  std::int64_t stride_;
  std::int64_t plane_;
  std::vector<detector::acf::DeviceTree> fine_trees_;
  std::vector<detector::acf::DeviceTree> coarse_trees_;
  std::vector<float> coarse_planes_;
  std::size_t left_ = 0;
};

}  // namespace facepipe::acf_variants
