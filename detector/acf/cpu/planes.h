// Planes of floats with room around their rows for vectors.
#pragma once

#include <cstddef>
#include <vector>

#include "core/geometry.h"
#include "detector/acf/cpu/rows.h"

namespace facepipe::detector::acf {

/// Several planes of one size. A sample before each row, kRowRoom behind each, and kScanRoom behind
/// the last may be read; what is there is finite.
class Planes {
 public:
  /// Windows that are looked at together may begin so far beyond the last one.
  static constexpr std::size_t kScanRoom = 128;

  /// Keeps memory that is large enough. What samples hold afterwards is not said.
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
