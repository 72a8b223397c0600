// Applies three box filters one after another, which is close to a Gaussian filter. The cost
// doesn't depend on the radius, because each filter keeps a running sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/geometry.h"
#include "overlay/hide_geometry.h"

namespace facepipe::overlay {

/// Holds a rectangle of 16-bit samples, which are written and read by rows. It keeps memory for the
/// largest rectangle so far: four bytes a sample, and some rows. Not thread-safe.
class BoxBlur {
 public:
  /// Sets the rectangle's size, at least 1x1. The samples are then unspecified.
  void resize(Size size);
  [[nodiscard]] std::uint16_t* row(int y) { return row_of(samples_, y); }

  /// Filters three times along rows, then three times along columns, each time with BoxMean.
  /// Samples beyond an edge are mirrored (see mirrored()). Radii are 1..BlurRadius::kMost.
  void blur(BlurRadius radius);

 private:
  [[nodiscard]] std::uint16_t* row_of(std::vector<std::uint16_t>& samples, int y) const {
    return samples.data() + static_cast<std::ptrdiff_t>(y) * size_.width;
  }
  void blur_rows(int radius);
  void filter_columns(const BoxMean& mean);

  Size size_;
  std::vector<std::uint16_t> samples_;
  std::vector<std::uint16_t> other_;      // the output of a pass along columns
  std::vector<std::uint16_t> padded_[2];  // a row with its edges mirrored, before and after a pass
  std::vector<std::uint32_t> sums_;       // the sum of each column
};

}  // namespace facepipe::overlay
