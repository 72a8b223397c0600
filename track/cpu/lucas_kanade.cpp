#include "track/cpu/lucas_kanade.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace facepipe::track {
namespace {

constexpr int kSide = kFlowWindow;
constexpr int kRimmed = kSide + 2;  ///< one more sample on each side, for gradients

template <int Side>
using Window = std::array<float, static_cast<std::size_t>(Side) * Side>;

/// Copies the samples of a window. Outside of the level, the samples of its edge are repeated.
template <int Side>
void gather_clamped(const LumaLevel& level, int left, int top,
                    std::array<std::uint8_t, (Side + 1) * (Side + 1)>& out) {
  std::size_t at = 0;
  for (int y = top; y <= top + Side; ++y) {
    const int row = std::clamp(y, 0, level.size.height - 1);
    const std::uint8_t* samples =
        level.samples + static_cast<std::ptrdiff_t>(row) * level.size.width;
    for (int x = left; x <= left + Side; ++x)
      out[at++] = samples[std::clamp(x, 0, level.size.width - 1)];
  }
}

/// Samples the window around `centre` bilinearly.
template <int Side>
void sample_window(const LumaLevel& level, Point centre, Window<Side>& out) {
  const WindowPlace place(centre, Side);
  std::array<std::uint8_t, (Side + 1) * (Side + 1)> edge;
  const std::uint8_t* first = edge.data();
  std::ptrdiff_t stride = Side + 1;
  if (place.x >= 0 && place.y >= 0 && place.x + Side < level.size.width &&
      place.y + Side < level.size.height) {
    stride = level.size.width;
    first = level.samples + place.y * stride + place.x;
  } else {
    gather_clamped<Side>(level, place.x, place.y, edge);
  }
  for (int y = 0; y < Side; ++y) {
    const std::uint8_t* upper = first + y * stride;
    const std::uint8_t* lower = upper + stride;
    float* row = out.data() + static_cast<std::ptrdiff_t>(y) * Side;
    for (int x = 0; x < Side; ++x)
      row[x] = place.between(upper[x], upper[x + 1], lower[x], lower[x + 1]);
  }
}

/// Holds a window of the first picture, its gradients, and the inverse of the gradients' matrix.
class Template {
 public:
  Template(const LumaLevel& level, Point centre) {
    Window<kRimmed> rimmed;
    sample_window<kRimmed>(level, centre, rimmed);
    Lanes xx{};
    Lanes xy{};
    Lanes yy{};
    for (std::size_t y = 0; y < kSide; ++y)
      for (std::size_t x = 0; x < kSide; ++x) {
        const float* at = &rimmed[(y + 1) * kRimmed + x + 1];
        const float gx = (at[1] - at[-1]) / 2;
        const float gy = (at[kRimmed] - at[-kRimmed]) / 2;
        const std::size_t i = y * kSide + x;
        grey_[i] = *at;
        gx_[i] = gx;
        gy_[i] = gy;
        xx[x] += gx * gx;
        xy[x] += gx * gy;
        yy[x] += gy * gy;
      }
    inverse_ = {sum(xx), sum(xy), sum(yy)};
  }

  [[nodiscard]] bool textured() const { return inverse_.textured; }

  /// Returns by how much `centre` must move to make the window of `level` more similar to this
  /// template.
  [[nodiscard]] Point step(const LumaLevel& level, Point centre) const {
    Window<kSide> other;
    sample_window<kSide>(level, centre, other);
    Lanes x_sum{};
    Lanes y_sum{};
    for (std::size_t y = 0; y < kSide; ++y)
      for (std::size_t x = 0; x < kSide; ++x) {
        const std::size_t i = y * kSide + x;
        const float difference = grey_[i] - other[i];
        x_sum[x] += gx_[i] * difference;
        y_sum[x] += gy_[i] * difference;
      }
    return inverse_.step(sum(x_sum), sum(y_sum));
  }

 private:
  /// One sum for each column. A compiler can compute these sums at the same time without changing
  /// the result.
  using Lanes = std::array<float, kSide>;
  static float sum(const Lanes& lanes) {
    float total = 0;
    for (const float lane : lanes) total += lane;
    return total;
  }

  Window<kSide> grey_;
  Window<kSide> gx_;
  Window<kSide> gy_;
  FlowMatrix inverse_;
};

/// Moves `there` to the place in `to` that shows the same as `here` in `from`. Positions are in
/// samples of the level. Returns whether the place was found.
bool converge(const LumaLevel& from, const LumaLevel& to, Point here, Point& there) {
  const Template window(from, here);
  if (!window.textured()) return false;
  Point at = there;
  float length = 0;
  for (int i = 0; i < kMostFlowSteps; ++i) {
    if (!is_inside(at, to.size)) return false;
    const Point step = window.step(to, at);
    at = {at.x + step.x, at.y + step.y};
    length = length_of(step);
    if (length < kFlowConverged) break;
  }
  if (!(length < kFlowDiverged) || !is_inside(at, to.size)) return false;
  there = at;
  return true;
}

}  // namespace

std::optional<Point> follow_point(const LumaPyramid& from, const LumaPyramid& to, Point point,
                                  Point guess, int coarsest, int finest) {
  bool found = false;
  if (!is_inside(point, from.shape().picture)) return std::nullopt;
  for (int i = std::min(coarsest, from.shape().levels - 1); i >= finest; --i) {
    const LumaLevel a = from.level(i);
    const float scale = a.scale;
    Point there{guess.x / scale, guess.y / scale};
    found = converge(a, to.level(i), {point.x / scale, point.y / scale}, there);
    // A coarse level without texture doesn't change the guess.
    if (found) guess = {there.x * scale, there.y * scale};
  }
  if (!found) return std::nullopt;
  return guess;
}

}  // namespace facepipe::track
