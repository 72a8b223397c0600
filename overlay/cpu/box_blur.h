// Three box filters one after another, close to a Gaussian filter, at a cost that doesn't depend on
// their radius: sums run along rows, then along columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/geometry.h"
#include "overlay/hide_geometry.h"

namespace facepipe::overlay {

/// A rectangle of samples of 16 bits, which are written and read by rows. Keeps memory for the
/// largest so far: four bytes a sample, and some rows. Not thread-safe.
class BoxBlur {
 public:
  /// The rectangle's size, at least 1x1. Samples are unspecified then.
  void resize(Size size);
  [[nodiscard]] std::uint16_t* row(int y) { return row_of(samples_, y); }

  /// Three times along rows, then three times along columns, each by BoxMean; beyond an edge
  /// samples are those that mirrored() names. Radii of 1..BlurRadius::kMost.
  void blur(BlurRadius radius);

 private:
  [[nodiscard]] std::uint16_t* row_of(std::vector<std::uint16_t>& samples, int y) const {
    return samples.data() + static_cast<std::ptrdiff_t>(y) * size_.width;
  }
  void blur_rows(int radius);
  void filter_columns(const BoxMean& mean);

  Size size_;
  std::vector<std::uint16_t> samples_;
  std::vector<std::uint16_t> other_;      // what a pass along columns writes
  std::vector<std::uint16_t> padded_[2];  // a row with its edges mirrored, before and after a pass
  std::vector<std::uint32_t> sums_;       // of each column
};

}  // namespace facepipe::overlay
