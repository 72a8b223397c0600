// A cascade of stumps at one scale, ready to be evaluated on the integral image of the picture.
//
// The paper doesn't tell how it scales features. Here it is as in OpenCV 1, which its authors name
// as where their cascade comes from: rectangles are scaled and rounded, weights are divided by the
// window's area, and the first rectangle's weight makes up for what rounding has done to areas, so
// that a feature of a flat window stays 0. Other than there, edges are rounded and not sizes, so
// that no rectangle leaves the window, and leaves are whole numbers of 2^-20: the sum of a stage is
// then the same in any order, and all variants have to find the same windows.
#pragma once

#include <cstdint>
#include <vector>

#include "core/geometry.h"
#include "detector/cascade/model/cascade.h"

namespace facepipe::viola_jones {

/// What leaves and stages' thresholds are counted in, as a part of 1.
inline constexpr int kUnitsOfOne = 1 << 20;

/// In pixels from the window's upper left corner; `right` and `bottom` lie outside.
struct Edges {
  std::uint16_t left = 0;
  std::uint16_t top = 0;
  std::uint16_t right = 0;
  std::uint16_t bottom = 0;
  friend bool operator==(const Edges&, const Edges&) = default;
};

/// Of the sums s0, s1, s2 of grey levels in its rectangles: `below` where
/// fma(w2, s2, fma(w1, s1, w0 * s0)) < threshold * deviation, in floats, else `above`.
/// Without a third rectangle w2 is 0.
struct alignas(16) ScaledStump {
  Edges rects[3];
  float weights[3] = {};
  float threshold = 0;
  std::int32_t below = 0;
  std::int32_t above = 0;
};

/// Passed unless the sum of its stumps is < threshold.
struct StageSpan {
  std::int32_t first = 0;  ///< of the cascade's stumps
  std::int32_t count = 0;
  std::int32_t threshold = 0;
};

struct ScaledCascade {
  /// The window without its outermost pixels, of which the deviation is that of grey levels:
  /// sqrt(float(area * sum of squares - sum * sum)) * inverse_area in floats, or 1 where it is
  /// flat.
  Edges inner;
  float inverse_area = 0;
  std::vector<StageSpan> stages;
  std::vector<ScaledStump> stumps;
};

/// `factor` >= 1. Throws std::invalid_argument for a cascade of trees, of more than kMostStages
/// stages, or of a stage whose sums could exceed 32 bits.
[[nodiscard]] ScaledCascade scaled(const detector::cascade::Cascade& cascade, double factor);

inline constexpr std::size_t kMostStages = 64;

}  // namespace facepipe::viola_jones
