// A cascade of stumps at one scale, ready to be evaluated on the picture's integral image.
//
// The paper doesn't say how it scales features. Here it is done as in OpenCV 1, from which the
// authors took their cascade. Rectangles are scaled and rounded, and weights are divided by the
// window's area. The first rectangle's weight compensates for the rounding of areas, so that a
// feature of a flat window stays 0. There are two differences: edges are rounded instead of sizes,
// so that no rectangle leaves the window, and leaves are whole numbers of 2^-20. So the sum of a
// stage is the same in any order, and all variants must find the same windows.
#pragma once

#include <cstdint>
#include <vector>

#include "core/geometry.h"
#include "detector/cascade/model/cascade.h"

namespace facepipe::viola_jones {

/// Leaves and thresholds of stages are integers, in units of 1 / kUnitsOfOne.
inline constexpr int kUnitsOfOne = 1 << 20;

/// Edges in pixels from the window's upper left corner. `right` and `bottom` are exclusive.
struct Edges {
  std::uint16_t left = 0;
  std::uint16_t top = 0;
  std::uint16_t right = 0;
  std::uint16_t bottom = 0;
  friend bool operator==(const Edges&, const Edges&) = default;
};

/// A stump. Let s0, s1, s2 be the sums of grey levels in the rectangles. The value is `below` if
/// fma(w2, s2, fma(w1, s1, w0 * s0)) < threshold * deviation, in floats, else `above`. If there is
/// no third rectangle, w2 is 0.
struct alignas(16) ScaledStump {
  Edges rects[3];
  float weights[3] = {};
  float threshold = 0;
  std::int32_t below = 0;
  std::int32_t above = 0;
};

/// The stumps of a stage. A window passes the stage unless the sum of the stumps' values is <
/// threshold.
struct StageSpan {
  std::int32_t first = 0;  ///< index of the first stump in the cascade's stumps
  std::int32_t count = 0;
  std::int32_t threshold = 0;
};

struct ScaledCascade {
  /// The window without its outermost pixels. The deviation of its grey levels is sqrt(float(area *
  /// sum of squares - sum * sum)) * inverse_area in floats, or 1 if the window is flat.
  Edges inner;
  float inverse_area = 0;
  std::vector<StageSpan> stages;
  std::vector<ScaledStump> stumps;
};

/// Scales a cascade. `factor` must be >= 1. Throws std::invalid_argument for a cascade of trees,
/// for more than kMostStages stages, and for a stage whose sums could exceed 32 bits.
[[nodiscard]] ScaledCascade scaled(const detector::cascade::Cascade& cascade, double factor);

inline constexpr std::size_t kMostStages = 64;

}  // namespace facepipe::viola_jones
