// The scales of a picture that a detector of channel features looks at, and how the channels of
// each are made. The same for all devices.
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
/// A picture made larger than four times each way shows nothing more.
inline constexpr int kMostOctavesUp = 2;
/// That pass in a frame; more is an error.
inline constexpr std::size_t kMostWindows = 65536;

/// The samples that each sample after resampling is a sum of, in their order: `count` for each of
/// `length`, tap by tap. To make smaller shares of area, to make larger two neighbours. What lies
/// beyond the border is the sample at the border; taps that aren't needed have the weight 0.
struct Taps {
  int length = 0;
  int count = 0;
  std::vector<std::int32_t> index;  ///< at tap * length + sample
  std::vector<float> weight;        ///< likewise
};
[[nodiscard]] Taps make_taps(int before, int after);

/// Which sizes of objects are looked for.
struct SizeLimits {
  double least = 0;  ///< of the shorter side in pixels of the picture: sets the octaves up
  double most = 0;   ///< of the longer side; 0: any
};

/// How many octaves the picture must be enlarged by to find objects of that shorter side: 0 for 0,
/// may exceed kMostOctavesUp.
[[nodiscard]] int octaves_up(const Model& model, double least);

/// Of one size of the object. The picture is resized to cells * 4 pixels where channels are
/// computed of it (`real`); else they are resampled from those of a real scale.
struct Scale {
  int number = 0;  ///< scale = 2^(octaves up - number / 8)
  double scale = 1;
  Size cells;  ///< without padding
  bool real = false;
  int source = 0;                 ///< the number of the real scale; its own, if real
  bool wanted = true;             ///< whether windows are looked at; else it is but a source
  Size padded;                    ///< cells with padding
  Size places;                    ///< how many windows a row has, and how many rows there are
  float factors[kChannels] = {};  ///< by which resampled channels are multiplied
  // Where windows are, in pixels of the picture: window_box().
  float step_x = 0;
  float step_y = 0;
  float first_x = 0;
  float first_y = 0;
  float box_width = 0;
  float box_height = 0;
};

/// Of a picture resized by `scale`: whole cells.
[[nodiscard]] Size cells_at(Size picture, double scale);

/// Those in which the object fits and that are needed for limits.least and most, finest first. None
/// where the picture is smaller than the object. `picture` is the upright one's size.
[[nodiscard]] std::vector<Scale> plan_scales(const Model& model, Size picture,
                                             const SizeLimits& limits);

/// How a picture, or channels, of another size are made; without taps where the size is the same.
struct Resampling {
  Taps across;
  Taps down;
};

/// What each scale's channels are made of.
struct Sources {
  std::vector<std::size_t> real;  ///< the real scales' places among the scales
  Size half;           ///< in pixels: scales of a half and less are made of a picture of that size
  Resampling to_half;  ///< from the picture; `half` is 0 where there is no smaller one
  std::vector<bool> of_half;             ///< by real scale: made of the half picture
  std::vector<Resampling> from_picture;  ///< by real scale: from the picture or the half one
  std::vector<std::size_t> real_of;      ///< by scale: its source's place in `real`
  std::vector<Resampling> from_real;     ///< by scale: without taps where it is that one itself
};
[[nodiscard]] Sources plan_sources(const std::vector<Scale>& scales, Size picture);

/// In pixels, of a real scale.
[[nodiscard]] FACEPIPE_HOST_DEVICE constexpr Size pixels_of(Size cells) {
  return {cells.width * kShrink, cells.height * kShrink};
}

/// The object's box of the window at a place, in pixels of the picture; may lie beyond its edges.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline Box window_box(const Scale& scale, int column, int row) {
  const float x = add(mul(static_cast<float>(column), scale.step_x), scale.first_x);
  const float y = add(mul(static_cast<float>(row), scale.step_y), scale.first_y);
  return {x, y, add(x, scale.box_width), add(y, scale.box_height)};
}

/// The score of a window whose leaves' sum is h: 1 / (1 + exp(-a (h - b))). In units of sums, so
/// that all devices give the same bits.
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

/// The least sum whose score exceeds `score`; the greatest int32 where none does.
[[nodiscard]] std::int32_t least_sum_above(const Model& model, float score);

/// Lightness over luminance in steps of 1 / 1024, for luv_of().
[[nodiscard]] const std::vector<float>& lightness_table();

}  // namespace facepipe::detector::acf
