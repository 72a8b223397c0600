// Says from which pixels along one axis a scaled pixel is computed, as in cv::resize.
#pragma once

namespace facepipe::detector::engine {

/// Holds the pixels first..last along one axis from which a scaled pixel is computed, and their
/// weights. All pixels between `first` and `last` have the same weight, which is the argument
/// `whole` of weight_at().
struct FilterSpan {
  int first;
  int last;
  float first_weight;
  float last_weight;  ///< weight of `last`, if last != first
};

/// Returns the two pixels around a point, of 0..pixels - 1.
/// @param centre  the point, where 0 is the middle of the first pixel
__device__ __forceinline__ FilterSpan linear_span_at(float centre, int pixels) {
  const int first = static_cast<int>(floorf(centre));
  const float fraction = centre - static_cast<float>(first);
  if (first < 0) return {0, 0, 1, 0};
  if (first >= pixels - 1) return {pixels - 1, pixels - 1, 1, 0};
  return {first, first + 1, 1 - fraction, fraction};
}

/// Returns the pixels of 0..pixels - 1 that lie at least in part between two points, weighted by
/// their parts. 0 <= begin < end; begin < pixels. Beyond the last pixel, nothing counts.
__device__ __forceinline__ FilterSpan area_span_of(double begin, double end, int pixels) {
  end = fmin(end, static_cast<double>(pixels));
  const int first = static_cast<int>(begin);
  int last = static_cast<int>(ceil(end)) - 1;
  last = min(max(last, first), pixels - 1);
  const auto part = [&](int pixel) {
    return static_cast<float>((fmin(end, pixel + 1.0) - fmax(begin, static_cast<double>(pixel))) /
                              (end - begin));
  };
  return {first, last, part(first), part(last)};
}

/// Return the span of the pixel `place` of `to` pixels that are scaled from `from` pixels.
__device__ __forceinline__ FilterSpan linear_span(int place, int from, int to) {
  const float scale = static_cast<float>(from) / static_cast<float>(to);
  return linear_span_at((static_cast<float>(place) + 0.5F) * scale - 0.5F, from);
}
__device__ __forceinline__ FilterSpan area_span(int place, int from, int to) {
  const double scale = static_cast<double>(from) / to;
  const double begin = place * scale;
  return area_span_of(begin, begin + scale, from);
}

__device__ __forceinline__ float weight_at(const FilterSpan& span, int pixel, float whole) {
  if (pixel == span.first) return span.first_weight;
  return pixel == span.last ? span.last_weight : whole;
}

}  // namespace facepipe::detector::engine
