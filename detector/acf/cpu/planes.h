// Planes of floats whose rows have room around them, so that vectors may read past their ends.
#pragma once

#include <cstddef>
#include <vector>

#include "core/geometry.h"
#include "detector/acf/cpu/rows.h"

namespace facepipe::detector::acf {

/// Several planes of one size. Callers may read one sample before each row, kRowRoom samples behind
/// each, and kScanRoom behind the last. The values there are finite.
class Planes {
 public:
  /// Windows that are scanned together may begin this many samples beyond the last one.
  static constexpr std::size_t kScanRoom = 128;

  /// Reuses the memory if it is large enough. Samples are unspecified afterwards.
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
