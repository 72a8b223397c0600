// Plans the scales of a picture at which a detector of channel features searches, and how each
// scale's channels are made. The plan is the same on all devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/geometry.h"
#include "core/host_device.h"
#include "detector/acf/channels.h"
#include "detector/acf/model/acf.h"
#include "nms/predicate.h"

namespace facepipe::detector::acf {

inline constexpr int kPerOctave = 8;
/// A picture that is enlarged more than four times in each direction shows no more details.
inline constexpr int kMostOctavesUp = 2;
/// Largest number of windows that may pass in a frame. More windows are an error.
inline constexpr std::size_t kMostWindows = 65536;

/// Describes how a row is resampled: each new sample is a weighted sum of old samples. Each of the
/// `length` new samples has `count` taps, in the order of adding. To make a picture smaller, the
/// weights are shares of area. To make it larger, they blend two neighbours. The sample at the
/// border is repeated beyond the border. Unused taps have the weight 0.
struct Taps {
  int length = 0;
  int count = 0;
  std::vector<std::int32_t> index;  ///< index of the old sample, at tap * length + sample
  std::vector<float> weight;        ///< weight of the old sample, at tap * length + sample
};
[[nodiscard]] Taps make_taps(int before, int after);

/// Limits the sizes of the objects that are searched for.
struct SizeLimits {
  /// least length of the shorter side, in pixels of the picture; it decides by how many octaves the
  /// picture is enlarged
  double least = 0;
  double most = 0;  ///< greatest length of the longer side, in pixels of the picture; 0 if any
};

/// Returns by how many octaves the picture must be enlarged to find objects whose shorter side is
/// `least` pixels. Returns 0 if `least` is 0. The result may exceed kMostOctavesUp.
[[nodiscard]] int octaves_up(const Model& model, double least);

/// Describes a scale, which finds objects of one size. If it is `real`, the picture is resized to
/// cells * 4 pixels, and the channels are computed from it. Otherwise, the channels are resampled
/// from the channels of a real scale.
struct Scale {
  int number = 0;  ///< scale = 2^(octaves up - number / 8)
  double scale = 1;
  Size cells;  ///< size without padding
  bool real = false;
  /// the number of the real scale from which this scale is made; for a real scale, its own number
  int source = 0;
  bool wanted = true;             ///< false if no window slides here: it is only a source
  Size padded;                    ///< size with padding, in cells
  Size places;                    ///< places of the window: number in a row, and number of rows
  float factors[kChannels] = {};  ///< factor of each channel, after resampling
  // window_box() computes boxes from the following members, which are in pixels of the picture.
  float step_x = 0;
  float step_y = 0;
  float first_x = 0;
  float first_y = 0;
  float box_width = 0;
  float box_height = 0;
};

/// Returns the size, in whole cells, of a picture that is resized by `scale`.
[[nodiscard]] Size cells_at(Size picture, double scale);

/// Returns the scales that are needed for limits.least and limits.most, and in which the object
/// fits; the finest scale is first. Returns no scale if the picture is smaller than the object.
/// `picture` is the size of the upright picture.
[[nodiscard]] std::vector<Scale> plan_scales(const Model& model, Size picture,
                                             const SizeLimits& limits);

/// Holds the taps that make a picture, or channels, of another size. There are no taps if the size
/// stays the same.
struct Resampling {
  Taps across;
  Taps down;
};

/// Says from which picture or scale each scale's channels are made.
struct Sources {
  std::vector<std::size_t> real;  ///< indices of the real scales among the scales
  Size half;  ///< in pixels; scales of 1/2 and less are made from a picture of this size
  /// Makes the half picture from the picture. `half` is 0 if no scale is below 1/2.
  Resampling to_half;
  std::vector<bool> of_half;  ///< for each real scale: whether it is made from the half picture
  /// For each real scale: how the picture or the half picture is resampled.
  std::vector<Resampling> from_picture;
  std::vector<std::size_t> real_of;  ///< for each scale: index of its source in `real`
  std::vector<Resampling>
      from_real;  ///< for each scale: resamples its source; none for real scales
};
[[nodiscard]] Sources plan_sources(const std::vector<Scale>& scales, Size picture);

/// Returns the size in pixels of a real scale.
[[nodiscard]] FACEPIPE_HOST_DEVICE constexpr Size pixels_of(Size cells) {
  return {cells.width * kShrink, cells.height * kShrink};
}

/// Returns the object's box for the window at a place, in pixels of the picture. The box may extend
/// beyond the picture's edges.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline Box window_box(const Scale& scale, int column, int row) {
  const float x = add(mul(static_cast<float>(column), scale.step_x), scale.first_x);
  const float y = add(mul(static_cast<float>(row), scale.step_y), scale.first_y);
  return {x, y, add(x, scale.box_width), add(y, scale.box_height)};
}

/// The score of a window is 1 / (1 + exp(-a (h - b))), where h is the sum of its leaves. a and b
/// are for sums in units of 1 / kUnit, so that all devices compute the same bits.
struct ScoreCurve {
  float a = 0;
  float b = 0;
};
[[nodiscard]] ScoreCurve score_curve(const Model& model);

[[nodiscard]] FACEPIPE_HOST_DEVICE inline float score_of(const ScoreCurve& curve,
                                                         std::int32_t sum) {
  const float x = mul(curve.a, sub(static_cast<float>(sum), curve.b));
  const float e = nms::exp_minus(magnitude_of(x));
  return div(x < 0 ? e : 1.0F, add(1.0F, e));
}

/// Returns the least sum whose score exceeds `score`. Returns the greatest int32 if there is no
/// such sum.
[[nodiscard]] std::int32_t least_sum_above(const Model& model, float score);

/// Returns a table for luv_of(): the lightness for luminances in steps of 1 / 1024.
[[nodiscard]] const std::vector<float>& lightness_table();

}  // namespace facepipe::detector::acf
