// A coarse detector that runs before the usual, fine detector, as Van Ranst et al. tried it
// (section 4.2.2). The coarse detector has its own trees and reads cells of 8 x 8 pixels. Kernels
// and the search on one core use the functions of this header.
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

/// Returns a coarse cell: the mean of 2x2 cells.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float coarse_cell(const float* top, std::int64_t stride) {
  const float* const bottom = top + stride;
  return nms::mul(nms::add(nms::add(top[0], top[1]), nms::add(bottom[0], bottom[1])), 0.25F);
}

/// Returns the number of coarse cells that these cells make. An odd last row or column is left out.
[[nodiscard]] FACEPIPE_HOST_DEVICE constexpr Size coarse_cells(Size cells) {
  return {cells.width / 2, cells.height / 2};
}

/// Returns the number of places of coarse windows, for the places of fine windows. The coarse
/// window at (x, y) belongs to the fine windows at 2x and 2x + 1, and 2y and 2y + 1, if these
/// places exist.
[[nodiscard]] FACEPIPE_HOST_DEVICE constexpr Size coarse_places(Size places) {
  return {(places.width + 1) / 2, (places.height + 1) / 2};
}

/// The channels of one scale. `first` is the first cell of the first channel. `stride` and `plane`
/// are the numbers of samples from one row, and from one channel, to the next.
struct ScaleCells {
  const float* first = nullptr;
  Size size;  ///< in cells, with padding
  std::int64_t stride = 0;
  std::int64_t plane = 0;
};

/// A window that passes all trees, with its place in the scale.
struct PassedWindow {
  int column = 0;
  int row = 0;
  std::int32_t sum = 0;
  friend bool operator==(const PassedWindow&, const PassedWindow&) = default;
};

/// Throws std::invalid_argument unless the coarse window has half the width and half the height of
/// the fine window, in cells.
void expect_halves(const detector::acf::Model& fine, const detector::acf::Model& coarse);

/// Searches scales on one core with plain loops.
class CoarseFineSearch {
 public:
  /// All searched cells must have this `stride` and `plane`. `fine` and `coarse` must outlive this
  /// object. Throws what expect_halves() throws.
  CoarseFineSearch(const detector::acf::Model& fine, const detector::acf::Model& coarse,
                   std::int64_t stride, std::int64_t plane);

  /// Returns the windows that pass both detectors, by row, then by column.
  [[nodiscard]] std::vector<PassedWindow> search(const ScaleCells& cells);
  /// Returns the windows that pass the fine detector alone, in the same order.
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
