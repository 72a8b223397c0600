// This header plans at which scales of a picture a detector of channel features looks, and how the
// channels of each are made. The plan is the same on all devices.
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
/// A picture that is enlarged more than four times each way shows nothing more.
inline constexpr int kMostOctavesUp = 2;
/// Most windows that may pass in a frame; more are an error.
inline constexpr std::size_t kMostWindows = 65536;

/// Tells of which old samples each new sample is the sum when a row is resampled. Each of `length`
/// samples has `count` taps, in the order of adding. To make a picture smaller, the weights are
/// shares of area; to make it larger, they blend two neighbours. The sample at the border stands
/// for those beyond it. Unneeded taps have the weight 0.
struct Taps {
  int length = 0;
  int count = 0;
  std::vector<std::int32_t> index;  ///< the old sample, at tap * length + sample
  std::vector<float> weight;        ///< its weight, at tap * length + sample
};
[[nodiscard]] Taps make_taps(int before, int after);

/// The sizes of objects that are searched for.
struct SizeLimits {
  /// least shorter side, in pixels of the picture: decides how many octaves up there are
  double least = 0;
  double most = 0;  ///< greatest longer side, in pixels of the picture; 0: any
};

/// Returns how many octaves the picture must be enlarged by to find objects with that shorter side.
/// Returns 0 for 0. The result may exceed kMostOctavesUp.
[[nodiscard]] int octaves_up(const Model& model, double least);

/// A scale finds objects of one size. If it is `real`, the picture is resized to cells * 4 pixels
/// and channels are computed from it. Else channels are resampled from those of a real scale.
struct Scale {
  int number = 0;  ///< scale = 2^(octaves up - number / 8)
  double scale = 1;
  Size cells;  ///< size without padding
  bool real = false;
  /// the number of the real scale that this one is made from; a real scale has its own number
  int source = 0;
  bool wanted = true;  ///< false: no window slides here, and the scale is only a source of others
  Size padded;         ///< size with padding, in cells
  Size places;         ///< places of the window: how many a row has, and how many rows there are
  float factors[kChannels] = {};  ///< resampled channels are multiplied by these
  // window_box() computes places of windows, in pixels of the picture, from these.
  float step_x = 0;
  float step_y = 0;
  float first_x = 0;
  float first_y = 0;
  float box_width = 0;
  float box_height = 0;
};

/// Returns the size in whole cells of a picture that is resized by `scale`.
[[nodiscard]] Size cells_at(Size picture, double scale);

/// Returns the scales in which the object fits and that limits.least and most need, finest first.
/// There are none if the picture is smaller than the object. `picture` is the size of the upright
/// picture.
[[nodiscard]] std::vector<Scale> plan_scales(const Model& model, Size picture,
                                             const SizeLimits& limits);

/// The taps that make a picture, or channels, of another size. There are no taps if the size stays.
struct Resampling {
  Taps across;
  Taps down;
};

/// Tells what each scale's channels are made from.
struct Sources {
  std::vector<std::size_t> real;  ///< indices of the real scales among the scales
  Size half;  ///< in pixels; scales of a half and less are made from a picture of this size
  /// makes the half picture from the picture; `half` is 0 if no scale is below a half
  Resampling to_half;
  std::vector<bool> of_half;  ///< by real scale: whether it is made from the half picture
  /// by real scale: resamples the picture or the half picture
  std::vector<Resampling> from_picture;
  std::vector<std::size_t> real_of;   ///< by scale: index of its source in `real`
  std::vector<Resampling> from_real;  ///< by scale: resamples its source; no taps for a real scale
};
[[nodiscard]] Sources plan_sources(const std::vector<Scale>& scales, Size picture);

/// Returns the size in pixels of a real scale.
[[nodiscard]] FACEPIPE_HOST_DEVICE constexpr Size pixels_of(Size cells) {
  return {cells.width * kShrink, cells.height * kShrink};
}

/// Returns the object's box for the window at a place, in pixels of the picture. It may lie beyond
/// the picture's edges.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline Box window_box(const Scale& scale, int column, int row) {
  const float x = add(mul(static_cast<float>(column), scale.step_x), scale.first_x);
  const float y = add(mul(static_cast<float>(row), scale.step_y), scale.first_y);
  return {x, y, add(x, scale.box_width), add(y, scale.box_height)};
}

/// The score of a window is 1 / (1 + exp(-a (h - b))), where h is the sum of its leaves. a and b
/// are in units of sums, so that all devices give the same bits.
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

/// Returns the least sum whose score exceeds `score`, or the greatest int32 if there is none.
[[nodiscard]] std::int32_t least_sum_above(const Model& model, float score);

/// Returns lightness by luminance in steps of 1 / 1024, for luv_of().
[[nodiscard]] const std::vector<float>& lightness_table();

}  // namespace facepipe::detector::acf
