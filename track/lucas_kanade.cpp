#include "track/lucas_kanade.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace facepipe {
namespace {

constexpr int kSide = kFlowWindow;
constexpr int kRimmed = kSide + 2;  ///< with a sample more on each side, for gradients
constexpr int kMostSteps = 12;
constexpr float kConverged = 0.05F;  ///< samples
constexpr float kDiverged = 1;       ///< of the last step
/// The least eigenvalue of the gradients' mean matrix, in squared grey levels per sample: less is
/// what rounding to 8 bits makes of a flat surface.
constexpr float kLeastTexture = 0.25F;

template <int Side>
using Window = std::array<float, static_cast<std::size_t>(Side) * Side>;

/// Rows of the window, with the edge's samples repeated outside.
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

/// The window around `centre` (samples; (0, 0) is the outer corner of the first), bilinear.
template <int Side>
void sample_window(const LumaLevel& level, Point centre, Window<Side>& out) {
  const float left = centre.x - 0.5F * Side;  // of the first sample's centre, less 0.5
  const float top = centre.y - 0.5F * Side;
  const float floor_x = std::floor(left);
  const float floor_y = std::floor(top);
  const float fx = left - floor_x;
  const float fy = top - floor_y;
  const int x0 = static_cast<int>(floor_x);
  const int y0 = static_cast<int>(floor_y);
  const float w00 = (1 - fx) * (1 - fy);
  const float w10 = fx * (1 - fy);
  const float w01 = (1 - fx) * fy;
  const float w11 = fx * fy;

  std::array<std::uint8_t, (Side + 1) * (Side + 1)> edge;
  const std::uint8_t* first = edge.data();
  std::ptrdiff_t stride = Side + 1;
  if (x0 >= 0 && y0 >= 0 && x0 + Side < level.size.width && y0 + Side < level.size.height) {
    stride = level.size.width;
    first = level.samples + y0 * stride + x0;
  } else {
    gather_clamped<Side>(level, x0, y0, edge);
  }
  for (int y = 0; y < Side; ++y) {
    const std::uint8_t* upper = first + y * stride;
    const std::uint8_t* lower = upper + stride;
    float* row = out.data() + static_cast<std::ptrdiff_t>(y) * Side;
    for (int x = 0; x < Side; ++x)
      row[x] = w00 * static_cast<float>(upper[x]) + w10 * static_cast<float>(upper[x + 1]) +
               w01 * static_cast<float>(lower[x]) + w11 * static_cast<float>(lower[x + 1]);
  }
}

/// A window of the first picture, its gradients, and the inverse of their matrix.
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
    invert(sum(xx), sum(xy), sum(yy));
  }

  [[nodiscard]] bool textured() const { return textured_; }

  /// By how much `centre` is to move to bring the window of `level` nearer to this.
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
    const float bx = sum(x_sum);
    const float by = sum(y_sum);
    return {ixx_ * bx + ixy_ * by, ixy_ * bx + iyy_ * by};
  }

 private:
  /// A sum for each column: additions that a compiler may do at once without changing the result.
  using Lanes = std::array<float, kSide>;
  static float sum(const Lanes& lanes) {
    float total = 0;
    for (const float lane : lanes) total += lane;
    return total;
  }

  void invert(float xx, float xy, float yy) {
    const float least =
        (xx + yy - std::sqrt((xx - yy) * (xx - yy) + 4 * xy * xy)) / (2 * kSide * kSide);
    const float determinant = xx * yy - xy * xy;
    textured_ = least >= kLeastTexture && determinant > 0;
    if (!textured_) return;
    ixx_ = yy / determinant;
    ixy_ = -xy / determinant;
    iyy_ = xx / determinant;
  }

  Window<kSide> grey_;
  Window<kSide> gx_;
  Window<kSide> gy_;
  float ixx_ = 0;
  float ixy_ = 0;
  float iyy_ = 0;
  bool textured_ = false;
};

bool is_inside(Point p, Size size) {
  return p.x >= 0 && p.y >= 0 && p.x < static_cast<float>(size.width) &&
         p.y < static_cast<float>(size.height);
}

/// Moves `there` (samples of the level) to what is at `here`; whether it was found.
bool converge(const LumaLevel& from, const LumaLevel& to, Point here, Point& there) {
  const Template window(from, here);
  if (!window.textured()) return false;
  Point at = there;
  float length = 0;
  for (int i = 0; i < kMostSteps; ++i) {
    if (!is_inside(at, to.size)) return false;
    const Point step = window.step(to, at);
    at = {at.x + step.x, at.y + step.y};
    length = std::sqrt(step.x * step.x + step.y * step.y);
    if (length < kConverged) break;
  }
  if (!(length < kDiverged) || !is_inside(at, to.size)) return false;
  there = at;
  return true;
}

}  // namespace

std::optional<Point> follow_point(const LumaPyramid& from, const LumaPyramid& to, Point point,
                                  Point guess, int coarsest, int finest) {
  bool found = false;
  if (!is_inside(point, from.picture())) return std::nullopt;
  for (int i = std::min(coarsest, from.levels() - 1); i >= finest; --i) {
    const LumaLevel a = from.level(i);
    const float scale = a.scale;
    Point there{guess.x / scale, guess.y / scale};
    found = converge(a, to.level(i), {point.x / scale, point.y / scale}, there);
    // A coarse level without texture leaves the guess as it is.
    if (found) guess = {there.x * scale, there.y * scale};
  }
  if (!found) return std::nullopt;
  return guess;
}

}  // namespace facepipe
