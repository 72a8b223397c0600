// Holds a luma plane in several sizes. Motion is estimated in the smallest size first.
#pragma once

#include <cstdint>
#include <vector>

#include "track/cpu/luma.h"
#include "track/flow.h"

namespace facepipe::track {

/// Holds the levels. The first level is the luma itself.
class LumaPyramid {
 public:
  /// `luma` must not be empty.
  explicit LumaPyramid(Luma luma);

  [[nodiscard]] const PyramidShape& shape() const { return shape_; }
  [[nodiscard]] LumaLevel level(int i) const;

 private:
  PyramidShape shape_;
  std::vector<std::vector<std::uint8_t>> levels_;
};

}  // namespace facepipe::track
