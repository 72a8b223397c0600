#include "detector/acf/pyramid.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace facepipe::detector::acf {
namespace {

int ceil_divided(std::int64_t value, std::int64_t by) {
  return static_cast<int>((value + by - 1) / by);
}

/// Computes which share of each new sample's interval lies in each old sample. All numbers are
/// whole until the final division, so nothing is rounded before it.
Taps shares_of_area(std::int64_t before, std::int64_t after) {
  Taps taps;
  taps.length = static_cast<int>(after);
  for (std::int64_t i = 0; i < after; ++i) {
    const auto first = static_cast<int>(i * before / after);
    taps.count = std::max(taps.count, ceil_divided((i + 1) * before, after) - first);
  }
  for (int tap = 0; tap < taps.count; ++tap) {
    for (std::int64_t i = 0; i < after; ++i) {
      const std::int64_t at = i * before / after + tap;
      const std::int64_t shared =
          std::min((at + 1) * after, (i + 1) * before) - std::max(at * after, i * before);
      taps.index.push_back(static_cast<std::int32_t>(std::min(at, before - 1)));
      taps.weight.push_back(static_cast<float>(
          static_cast<double>(std::max<std::int64_t>(shared, 0)) / static_cast<double>(before)));
    }
  }
  return taps;
}

Taps two_neighbours(std::int64_t before, std::int64_t after) {
  Taps taps;
  taps.length = static_cast<int>(after);
  taps.count = 2;
  for (int tap = 0; tap < taps.count; ++tap) {
    for (std::int64_t i = 0; i < after; ++i) {
      // `place` is in units of 1 / (2 after). 2 after is added so that the quotient is rounded down
      // even if it is negative.
      const std::int64_t place = (2 * i + 1) * before - after + 2 * after;
      const std::int64_t low = place / (2 * after) - 1;
      const double second =
          static_cast<double>(place % (2 * after)) / static_cast<double>(2 * after);
      taps.index.push_back(
          static_cast<std::int32_t>(std::clamp<std::int64_t>(low + tap, 0, before - 1)));
      taps.weight.push_back(static_cast<float>(tap == 0 ? 1 - second : second));
    }
  }
  return taps;
}

Resampling taps_of(Size from, Size to) {
  return {make_taps(from.width, to.width), make_taps(from.height, to.height)};
}

Resampling resampling(Size from, Size to) { return from == to ? Resampling{} : taps_of(from, to); }

void place_windows(Scale& scale, const Model& model, Size picture) {
  const Size pad{model.padding.width / kShrink, model.padding.height / kShrink};
  const Size window = model.window_cells();
  scale.padded = {scale.cells.width + 2 * pad.width, scale.cells.height + 2 * pad.height};
  scale.places = {std::max(0, scale.padded.width - window.width + 1),
                  std::max(0, scale.padded.height - window.height + 1)};
  const auto inset = [](int outer, int inner, int padding) {
    return (outer - inner) / 2.0 - padding;
  };
  // A pixel of the scale covers this many pixels of the picture. The numbers are the exact ratios
  // of the sizes.
  const double wide = static_cast<double>(picture.width) / (kShrink * scale.cells.width);
  const double high = static_cast<double>(picture.height) / (kShrink * scale.cells.height);
  scale.step_x = static_cast<float>(kShrink * wide);
  scale.step_y = static_cast<float>(kShrink * high);
  scale.first_x =
      static_cast<float>(inset(model.window.width, model.object.width, model.padding.width) * wide);
  scale.first_y = static_cast<float>(
      inset(model.window.height, model.object.height, model.padding.height) * high);
  scale.box_width = static_cast<float>(model.object.width / scale.scale);
  scale.box_height = static_cast<float>(model.object.height / scale.scale);
}

bool is_wanted(const Scale& scale, const SizeLimits& limits) {
  const float least = std::min(scale.box_width, scale.box_height);
  const float most = std::max(scale.box_width, scale.box_height);
  return scale.places.width > 0 && scale.places.height > 0 && least >= limits.least &&
         (limits.most <= 0 || most <= limits.most);
}

}  // namespace

Taps make_taps(int before, int after) {
  if (before >= after) return shares_of_area(before, after);
  return two_neighbours(before, after);
}

Size cells_at(Size picture, double scale) {
  const auto cells = [&](int side) {
    return static_cast<int>(std::floor(side * scale / kShrink + 0.5));
  };
  return {cells(picture.width), cells(picture.height)};
}

int octaves_up(const Model& model, double least) {
  const double side = std::min(model.object.width, model.object.height);
  if (least <= 0 || least >= side) return 0;
  return static_cast<int>(std::ceil(std::log2(side / least)));
}

std::vector<Scale> plan_scales(const Model& model, Size picture, const SizeLimits& limits) {
  const int up = std::min(octaves_up(model, limits.least), kMostOctavesUp);
  const double ratio = std::min(static_cast<double>(picture.height) / model.object.height,
                                static_cast<double>(picture.width) / model.object.width);
  const int last = static_cast<int>(std::floor(kPerOctave * (up + std::log2(ratio))));
  std::vector<Scale> scales;
  for (int number = 0; number <= last; ++number) {
    Scale scale;
    scale.number = number;
    scale.scale = std::exp2(up - static_cast<double>(number) / kPerOctave);
    scale.cells = cells_at(picture, scale.scale);
    const int below = number / kPerOctave * kPerOctave;
    const int above = below + kPerOctave;
    scale.real = number == below;
    scale.source = number % kPerOctave > kPerOctave / 2 && above <= last ? above : below;
    place_windows(scale, model, picture);
    scale.wanted = is_wanted(scale, limits);
    scales.push_back(scale);
  }
  for (Scale& scale : scales) {
    const double from = scales[static_cast<std::size_t>(scale.source)].scale;
    for (int c = 0; c < kChannels; ++c) {
      const std::size_t kind = c < kColors ? 0 : c == kMagnitude ? 1 : 2;
      scale.factors[c] = static_cast<float>(std::pow(scale.scale / from, -model.lambdas[kind]));
    }
  }
  // A scale is erased if no window slides there and no wanted scale is made from it.
  std::vector<bool> needed(scales.size());
  for (const Scale& scale : scales)
    if (scale.wanted) needed[static_cast<std::size_t>(scale.source)] = true;
  std::erase_if(scales, [&](const Scale& scale) {
    return !scale.wanted && !needed[static_cast<std::size_t>(scale.number)];
  });
  return scales;
}

Sources plan_sources(const std::vector<Scale>& scales, Size picture) {
  constexpr double kHalfScale = 0.5;
  Sources sources;
  for (std::size_t i = 0; i < scales.size(); ++i)
    if (scales[i].real) sources.real.push_back(i);
  const bool has_smaller = std::ranges::any_of(
      sources.real, [&](std::size_t i) { return scales[i].scale < kHalfScale; });
  if (has_smaller) {
    sources.half = pixels_of(cells_at(picture, kHalfScale));
    sources.to_half = resampling(picture, sources.half);
  }
  for (const std::size_t i : sources.real) {
    const bool of_half = has_smaller && scales[i].scale <= kHalfScale;
    sources.of_half.push_back(of_half);
    sources.from_picture.push_back(
        resampling(of_half ? sources.half : picture, pixels_of(scales[i].cells)));
  }
  for (const Scale& scale : scales) {
    const auto source = std::ranges::find_if(
        sources.real, [&](std::size_t i) { return scales[i].number == scale.source; });
    sources.real_of.push_back(static_cast<std::size_t>(source - sources.real.begin()));
    // An approximated scale gets taps even if it has as many cells as its source.
    sources.from_real.push_back(scale.real ? Resampling{}
                                           : taps_of(scales[*source].cells, scale.cells));
  }
  return sources;
}

ScoreCurve score_curve(const Model& model) {
  return {static_cast<float>(model.steepness / kUnit), static_cast<float>(model.middle * kUnit)};
}

std::int32_t least_sum_above(const Model& model, float score) {
  const ScoreCurve curve = score_curve(model);
  // The search works because the score never falls when the sum grows.
  std::int64_t below = std::numeric_limits<std::int32_t>::min();
  std::int64_t above = std::numeric_limits<std::int32_t>::max();
  if (score_of(curve, static_cast<std::int32_t>(below)) > score)
    return static_cast<std::int32_t>(below);
  while (above - below > 1) {
    const std::int64_t middle = (above + below) / 2;
    (score_of(curve, static_cast<std::int32_t>(middle)) > score ? above : below) = middle;
  }
  return static_cast<std::int32_t>(above);
}

const std::vector<float>& lightness_table() {
  static const std::vector<float> table = [] {
    std::vector<float> made;
    for (int i = 0; i < kLightnessEntries; ++i) {
      const double y = i / 1024.0;
      constexpr double kKnee = (6.0 / 29) * (6.0 / 29) * (6.0 / 29);
      constexpr double kSlope = (29.0 / 3) * (29.0 / 3) * (29.0 / 3);
      made.push_back(static_cast<float>((y > kKnee ? 116 * std::cbrt(y) - 16 : y * kSlope) / 270));
    }
    return made;
  }();
  return table;
}

}  // namespace facepipe::detector::acf
