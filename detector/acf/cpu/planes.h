// Stores planes of floats. Vector loads may read beyond the ends of each row.
#pragma once

#include <cstddef>
#include <vector>

#include "core/geometry.h"
#include "detector/acf/cpu/rows.h"

namespace facepipe::detector::acf {

/// Holds several planes of the same size. Callers may read one sample before each row, kRowRoom
/// samples after each row, and kScanRoom samples after the last row. The samples there are finite.
class Planes {
 public:
  /// A scanner may begin windows up to this many samples beyond the last window.
  static constexpr std::size_t kScanRoom = 128;

  /// Sets the size. Reuses the memory if it is large enough. The samples are unspecified
  /// afterwards.
  void resize(Size size, int planes) {
    size_ = size;
    stride_ = row_stride(size.width);
    const std::size_t needed = kRowRoom + kScanRoom +
                               static_cast<std::size_t>(stride_) *
                                   static_cast<std::size_t>(size.height) *
                                   static_cast<std::size_t>(planes);
    if (samples_.size() < needed) samples_.resize(needed);
  }

  [[nodiscard]] Size size() const { return size_; }
  [[nodiscard]] std::ptrdiff_t stride() const { return stride_; }
  [[nodiscard]] std::ptrdiff_t plane_stride() const { return stride_ * size_.height; }
  [[nodiscard]] const float* row(int plane, int y) const { return samples_.data() + at(plane, y); }
  [[nodiscard]] float* row(int plane, int y) { return samples_.data() + at(plane, y); }

 private:
  [[nodiscard]] std::ptrdiff_t at(int plane, int y) const {
    return kRowRoom + plane * plane_stride() + y * stride_;
  }

  Size size_;
  std::ptrdiff_t stride_ = 0;
  std::vector<float> samples_;
};

}  // namespace facepipe::detector::acf
