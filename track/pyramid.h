// A luma at falling sizes, in which displacements are found from coarse to fine.
#pragma once

#include <cstdint>
#include <vector>

#include "core/geometry.h"
#include "track/luma.h"

namespace facepipe {

/// A view of one level: samples of 8 bits, rows without padding.
struct LumaLevel {
  const std::uint8_t* samples = nullptr;
  Size size;
  /// Side of a sample in pixels of the picture: 2, 4, 8, ... The sample (i, j) is the mean of the
  /// pixels from (scale * i, scale * j) on.
  float scale = 0;
};

/// Owns its levels: the luma itself, then each half as large as the one before, down to the last
/// that is 16 samples or more on both sides, six at most; the first is there whatever its size.
class LumaPyramid {
 public:
  /// `luma` is not empty.
  explicit LumaPyramid(Luma luma);

  [[nodiscard]] Size picture() const { return picture_; }
  [[nodiscard]] int levels() const { return static_cast<int>(levels_.size()); }
  [[nodiscard]] LumaLevel level(int i) const;

 private:
  struct Level {
    Size size;
    std::vector<std::uint8_t> samples;
  };
  Size picture_;
  std::vector<Level> levels_;
};

}  // namespace facepipe
