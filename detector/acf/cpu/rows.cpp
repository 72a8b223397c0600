#include "detector/acf/cpu/rows.h"

#include <algorithm>

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "detector/acf/cpu/rows.cpp"
#include <hwy/foreach_target.h>
// Highway requires this include to follow foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace facepipe::detector::acf::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, kRowRoom>;
using Floats = hn::Vec<Lanes>;
using Words = hn::RebindToSigned<Lanes>;
using Bytes = hn::Rebind<std::uint8_t, Lanes>;

HWY_INLINE int lanes() { return static_cast<int>(hn::Lanes(Lanes())); }
HWY_INLINE Floats set(float value) { return hn::Set(Lanes(), value); }
HWY_INLINE Floats load(const float* from) { return hn::LoadU(Lanes(), from); }
HWY_INLINE Floats times(float factor, Floats x) { return hn::Mul(set(factor), x); }

HWY_INLINE Floats from_bytes(hn::Vec<Bytes> bytes) {
  return hn::ConvertTo(Lanes(), hn::PromoteTo(Words(), bytes));
}

// --- Colours ---

HWY_INLINE hn::Vec<Bytes> color_bytes(Floats y, Floats u, Floats v, const float (&row)[4]) {
  const auto chroma = hn::Add(hn::Add(times(row[1], u), times(row[2], v)), set(row[3]));
  const auto sum = hn::Add(times(row[0], y), chroma);
  const auto value = hn::Sub(hn::Add(sum, set(kRounder)), set(kRounder));
  const auto clamped = hn::Min(hn::Max(value, hn::Zero(Lanes())), set(255));
  return hn::DemoteTo(Bytes(), hn::ConvertTo(Words(), clamped));
}

HWY_INLINE void to_rgb_pixels(const ColorRow& from, const float (&to_rgb)[3][4], std::uint8_t* to) {
  const auto y = from_bytes(hn::LoadU(Bytes(), from.y));
  const auto u = from_bytes(hn::LoadU(Bytes(), from.u));
  const auto v = from_bytes(hn::LoadU(Bytes(), from.v));
  hn::StoreInterleaved4(color_bytes(y, u, v, to_rgb[0]), color_bytes(y, u, v, to_rgb[1]),
                        color_bytes(y, u, v, to_rgb[2]), hn::Zero(Bytes()), Bytes(), to);
}

void rgb_row(const ColorRow& from, const float (&to_rgb)[3][4], int width, std::uint8_t* to) {
  int x = 0;
  for (; x + lanes() <= width; x += lanes())
    to_rgb_pixels({from.y + x, from.u + x, from.v + x}, to_rgb, to + std::ptrdiff_t{4} * x);
  if (x == width) return;
  const int rest = std::clamp(width - x, 0, kRowRoom);
  std::uint8_t in[3][kRowRoom] = {};
  std::uint8_t out[4 * kRowRoom];
  std::copy_n(from.y + x, rest, in[0]);
  std::copy_n(from.u + x, rest, in[1]);
  std::copy_n(from.v + x, rest, in[2]);
  to_rgb_pixels({in[0], in[1], in[2]}, to_rgb, out);
  std::copy_n(out, 4 * rest, to + std::ptrdiff_t{4} * x);
}

HWY_INLINE Floats weighted(const float (&row)[3], Floats r, Floats g, Floats b) {
  return hn::Add(hn::Add(times(row[0], r), times(row[1], g)), times(row[2], b));
}

HWY_INLINE void luv_pixels(const std::uint8_t* from, const float* lightness, float* l, float* u,
                           float* v) {
  const Lanes d;
  hn::Vec<Bytes> red;
  hn::Vec<Bytes> green;
  hn::Vec<Bytes> blue;
  hn::Vec<Bytes> unused;
  hn::LoadInterleaved4(Bytes(), from, red, green, blue, unused);
  const auto r = times(kLevel, from_bytes(red));
  const auto g = times(kLevel, from_bytes(green));
  const auto b = times(kLevel, from_bytes(blue));
  const auto x = weighted(kXyz[0], r, g, b);
  const auto y = weighted(kXyz[1], r, g, b);
  const auto z = weighted(kXyz[2], r, g, b);
  const auto entry =
      hn::Min(hn::ConvertTo(Words(), times(1024, y)), hn::Set(Words(), kLightnessEntries - 1));
  const auto light = hn::GatherIndex(d, lightness, entry);
  const auto bottom = hn::Add(hn::Add(hn::Add(x, times(15, y)), times(3, z)), set(kTiny));
  const auto k = hn::Div(set(1), bottom);
  const auto chroma = [&](float factor, Floats of, float white, float least) HWY_ATTR {
    const auto share = hn::Sub(hn::Mul(times(factor, of), k), set(white));
    return hn::Add(hn::Mul(light, share), set(least));
  };
  hn::StoreU(light, d, l);
  hn::StoreU(chroma(52, x, kWhiteU, kLeastU), d, u);
  hn::StoreU(chroma(117, y, kWhiteV, kLeastV), d, v);
}

void luv_row(const std::uint8_t* from, int width, const float* lightness, float* l, float* u,
             float* v) {
  int x = 0;
  for (; x + lanes() <= width; x += lanes())
    luv_pixels(from + std::ptrdiff_t{4} * x, lightness, l + x, u + x, v + x);
  if (x == width) return;
  std::uint8_t in[4 * kRowRoom] = {};
  std::copy_n(from + std::ptrdiff_t{4} * x, 4 * std::clamp(width - x, 0, kRowRoom), in);
  luv_pixels(in, lightness, l + x, u + x, v + x);
}

// --- Resampling and smoothing ---

void rows_added(const float* const* rows, const float* weights, int count, int length, float* to) {
  for (int x = 0; x < length; x += lanes()) {
    auto sum = times(weights[0], load(rows[0] + x));
    for (int t = 1; t < count; ++t) sum = hn::Add(sum, times(weights[t], load(rows[t] + x)));
    hn::StoreU(sum, Lanes(), to + x);
  }
}

void taps_added(const float* from, const Taps& taps, float factor, float* to) {
  const Lanes d;
  const int whole = taps.length / lanes() * lanes();
  for (int x = 0; x < whole; x += lanes()) {
    const std::int32_t* index = taps.index.data() + x;
    const float* weight = taps.weight.data() + x;
    auto sum = hn::Mul(load(weight), hn::GatherIndex(d, from, hn::LoadU(Words(), index)));
    for (int t = 1; t < taps.count; ++t) {
      index += taps.length;
      weight += taps.length;
      const auto sample = hn::GatherIndex(d, from, hn::LoadU(Words(), index));
      sum = hn::Add(sum, hn::Mul(load(weight), sample));
    }
    hn::StoreU(times(factor, sum), d, to + x);
  }
  for (int x = whole; x < taps.length; ++x) {
    float sum = 0;
    for (int t = 0; t < taps.count; ++t) {
      const auto at = static_cast<std::size_t>(t * taps.length + x);
      const float product = mul(taps.weight[at], from[taps.index[at]]);
      sum = t == 0 ? product : add(sum, product);
    }
    to[x] = mul(sum, factor);
  }
}

HWY_INLINE Floats smooth(Floats before, Floats here, Floats after) {
  return hn::Mul(hn::Add(hn::Add(before, after), hn::Add(here, here)), set(0.25F));
}

void smoothed_down(const float* before, const float* here, const float* after, int length,
                   float* to) {
  for (int x = 0; x < length; x += lanes())
    hn::StoreU(smooth(load(before + x), load(here + x), load(after + x)), Lanes(), to + x);
}

void smoothed_across(const float* from, int length, float* to) {
  to[0] = smoothed(from[0], from[0], from[std::min(1, length - 1)]);
  int x = 1;
  for (; x + lanes() < length; x += lanes())
    hn::StoreU(smooth(load(from + x - 1), load(from + x), load(from + x + 1)), Lanes(), to + x);
  for (; x < length; ++x) to[x] = smoothed(from[x - 1], from[x], from[std::min(x + 1, length - 1)]);
}

// --- Gradients ---

HWY_INLINE Floats orientation(Floats gx, Floats gy) {
  const Lanes d;
  const auto x = hn::Abs(gx);
  const auto y = hn::Abs(gy);
  const auto is_steep = hn::Gt(y, x);
  const auto zero = hn::Zero(d);
  const auto most = hn::Max(x, y);
  const auto r = hn::Div(hn::Min(x, y), hn::IfThenElse(hn::Gt(most, zero), most, set(1)));
  const auto z = hn::Mul(r, r);
  auto sum = set(angle_factor(kAngleFactors - 1));
  for (int i = kAngleFactors - 2; i >= 0; --i) sum = hn::Add(hn::Mul(sum, z), set(angle_factor(i)));
  auto angle = hn::Mul(r, sum);
  angle = hn::IfThenElse(is_steep, hn::Sub(set(3), angle), angle);
  const auto is_turned = hn::Xor(hn::Lt(gx, zero), hn::Lt(gy, zero));
  angle = hn::IfThenElse(is_turned, hn::Sub(set(6), angle), angle);
  return hn::IfThenElse(hn::Ge(angle, set(6)), hn::Sub(angle, set(6)), angle);
}

HWY_INLINE void gradients_at(const ThreeRows& rows, int x, float down, float* magnitude,
                             float* angle) {
  auto gx = hn::Zero(Lanes());
  auto gy = gx;
  auto square = set(-1);
  for (int c = 0; c < kColors; ++c) {
    const auto across =
        hn::Mul(hn::Sub(load(rows.here[c] + x + 1), load(rows.here[c] + x - 1)), set(kHalf));
    const auto along =
        hn::Mul(hn::Sub(load(rows.after[c] + x), load(rows.before[c] + x)), set(down));
    const auto here = hn::Add(hn::Mul(across, across), hn::Mul(along, along));
    const auto is_stronger = hn::Gt(here, square);
    gx = hn::IfThenElse(is_stronger, across, gx);
    gy = hn::IfThenElse(is_stronger, along, gy);
    square = hn::IfThenElse(is_stronger, here, square);
  }
  hn::StoreU(hn::Sqrt(square), Lanes(), magnitude + x);
  hn::StoreU(orientation(gx, gy), Lanes(), angle + x);
}

/// Computes the gradient of a sample that has a neighbour on one side only.
void border_gradient(const ThreeRows& rows, int left, int right, int x, float down,
                     float* magnitude, float* angle) {
  float gx = 0;
  float gy = 0;
  float square = -1;
  for (int c = 0; c < kColors; ++c) {
    const float across = slope(rows.here[c][left], rows.here[c][right], 1);
    const float along = slope(rows.before[c][x], rows.after[c][x], down);
    const float here = squared(across, along);
    if (!(here > square)) continue;
    gx = across;
    gy = along;
    square = here;
  }
  magnitude[x] = root(square);
  angle[x] = orientation_of(gx, gy);
}

void gradients(const ThreeRows& rows, float down, int length, float* magnitude, float* angle) {
  for (int x = 0; x < length; x += lanes()) gradients_at(rows, x, down, magnitude, angle);
  border_gradient(rows, 0, 1, 0, down, magnitude, angle);
  border_gradient(rows, length - 2, length - 1, length - 1, down, magnitude, angle);
}

// --- The triangle ---

HWY_INLINE Floats six(Floats pair0, Floats pair2, Floats pair4) {
  return hn::Add(hn::Add(pair0, pair2), pair4);
}

void triangle_row_added(const TriangleRows& rows, int length) {
  const Lanes d;
  for (int x = 0; x < length; x += lanes()) {
    const auto pair = hn::Add(load(rows.magnitude_before + x), load(rows.magnitude + x));
    hn::StoreU(pair, d, rows.pair + x);
    const auto sum = six(load(rows.pair4 + x), load(rows.pair2 + x), pair);
    hn::StoreU(sum, d, rows.six + x);
    const auto doubled = hn::Add(load(rows.six_before + x), sum);
    hn::StoreU(doubled, d, rows.doubled + x);
    hn::StoreU(six(load(rows.double4 + x), load(rows.double2 + x), doubled), d, rows.sum + x);
  }
}

void row_normalized(const float* magnitude, const float* sum, int length, float* scratch,
                    int stride, float* to) {
  const Lanes d;
  float* const mirrored = scratch;
  float* const first = scratch + stride;
  float* const second = scratch + std::ptrdiff_t{2} * stride;
  for (int i = 0; i < kRadius; ++i) {
    mirrored[i] = sum[kRadius - 1 - i];
    mirrored[kRadius + length + i] = sum[length - 1 - i];
  }
  std::copy_n(sum, length, mirrored + kRadius);
  const auto pairs = [&](const float* from, float* made) HWY_ATTR {
    for (int x = 0; x < length + 2 * kRadius; x += lanes())
      hn::StoreU(hn::Add(load(from + x), load(from + x + 1)), d, made + x);
  };
  pairs(mirrored, first);
  for (int x = 0; x < length + kRadius + 1; x += lanes())
    hn::StoreU(six(load(first + x), load(first + x + 2), load(first + x + 4)), d, second + x);
  pairs(second, first);
  for (int x = 0; x < length; x += lanes()) {
    const auto whole = six(load(first + x), load(first + x + 2), load(first + x + 4));
    const auto bottom = hn::Add(times(kTriangleShare, whole), set(kNormalizer));
    hn::StoreU(hn::Div(load(magnitude + x), bottom), d, to + x);
  }
}

// --- Cells ---

/// Adds up each group of four columns of `from`, whose samples are sums of four rows. Writes the
/// means of the resulting cells.
HWY_INLINE void columns_added(const float* from, int length, float* to) {
  const Lanes d;
  for (int x = 0; x < length; x += lanes()) {
    Floats a;
    Floats b;
    Floats c;
    Floats e;
    hn::LoadInterleaved4(d, from + std::ptrdiff_t{kShrink} * x, a, b, c, e);
    hn::StoreU(times(kCellShare, hn::Add(hn::Add(a, b), hn::Add(c, e))), d, to + x);
  }
}

HWY_INLINE Floats four(Floats a, Floats b, Floats c, Floats d) {
  return hn::Add(hn::Add(a, b), hn::Add(c, d));
}

HWY_INLINE void means(const float* const (&rows)[kShrink], int length, float* scratch, float* to) {
  for (int x = 0; x < kShrink * length; x += lanes()) {
    const auto sum =
        four(load(rows[0] + x), load(rows[1] + x), load(rows[2] + x), load(rows[3] + x));
    hn::StoreU(sum, Lanes(), scratch + x);
  }
  columns_added(scratch, length, to);
}

/// For each pixel of a vector, holds its two bins and the shares of its magnitude that they get.
struct Shares {
  Floats bin;
  Floats next;
  Floats to_bin;
  Floats to_next;
};

HWY_INLINE Shares shares_at(const float* magnitude, const float* angle) {
  const auto m = load(magnitude);
  const auto o = load(angle);
  const auto bin = hn::Floor(o);
  const auto rest = hn::Sub(o, bin);
  const auto is_last = hn::Eq(bin, set(kOrientations - 1));
  const auto next = hn::IfThenZeroElse(is_last, hn::Add(bin, set(1)));
  return {bin, next, hn::Mul(m, hn::Sub(set(1), rest)), hn::Mul(m, rest)};
}

HWY_INLINE Floats share_of(const Shares& shares, int bin) {
  const auto wanted = set(static_cast<float>(bin));
  const auto next = hn::IfThenElseZero(hn::Eq(shares.next, wanted), shares.to_next);
  return hn::IfThenElse(hn::Eq(shares.bin, wanted), shares.to_bin, next);
}

void cells(const CellRows& rows, int length, float* scratch, int stride,
           float* const (&to)[kChannels]) {
  const Lanes d;
  for (int c = 0; c < kColors; ++c) means(rows.color[c], length, scratch, to[c]);
  means(rows.magnitude, length, scratch, to[kMagnitude]);
  for (int x = 0; x < kShrink * length; x += lanes()) {
    const Shares a = shares_at(rows.magnitude[0] + x, rows.orientation[0] + x);
    const Shares b = shares_at(rows.magnitude[1] + x, rows.orientation[1] + x);
    const Shares c = shares_at(rows.magnitude[2] + x, rows.orientation[2] + x);
    const Shares e = shares_at(rows.magnitude[3] + x, rows.orientation[3] + x);
    for (int bin = 0; bin < kOrientations; ++bin)
      hn::StoreU(four(share_of(a, bin), share_of(b, bin), share_of(c, bin), share_of(e, bin)), d,
                 scratch + std::ptrdiff_t{bin} * stride + x);
  }
  for (int bin = 0; bin < kOrientations; ++bin)
    columns_added(scratch + std::ptrdiff_t{bin} * stride, length, to[kMagnitude + 1 + bin]);
}

}  // namespace facepipe::detector::acf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace facepipe::detector::acf {

HWY_EXPORT(rgb_row);
HWY_EXPORT(luv_row);
HWY_EXPORT(rows_added);
HWY_EXPORT(taps_added);
HWY_EXPORT(smoothed_down);
HWY_EXPORT(smoothed_across);
HWY_EXPORT(gradients);
HWY_EXPORT(triangle_row_added);
HWY_EXPORT(row_normalized);
HWY_EXPORT(cells);

void to_rgb_row(const ColorRow& from, const float (&to_rgb)[3][4], int width, std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(rgb_row)(from, to_rgb, width, to);
}

void to_luv_row(const std::uint8_t* from, int width, const float* lightness, float* l, float* u,
                float* v) {
  HWY_DYNAMIC_DISPATCH(luv_row)(from, width, lightness, l, u, v);
}

void add_rows(const float* const* rows, const float* weights, int count, int length, float* to) {
  HWY_DYNAMIC_DISPATCH(rows_added)(rows, weights, count, length, to);
}

void add_taps(const float* from, const Taps& taps, float factor, float* to) {
  HWY_DYNAMIC_DISPATCH(taps_added)(from, taps, factor, to);
}

void smooth_down(const float* before, const float* here, const float* after, int length,
                 float* to) {
  HWY_DYNAMIC_DISPATCH(smoothed_down)(before, here, after, length, to);
}

void smooth_across(const float* from, int length, float* to) {
  HWY_DYNAMIC_DISPATCH(smoothed_across)(from, length, to);
}

void gradient_row(const ThreeRows& rows, float down, int length, float* magnitude,
                  float* orientation) {
  HWY_DYNAMIC_DISPATCH(gradients)(rows, down, length, magnitude, orientation);
}

void add_triangle_row(const TriangleRows& rows, int length) {
  HWY_DYNAMIC_DISPATCH(triangle_row_added)(rows, length);
}

void normalize_row(const float* magnitude, const float* sum, int length, float* scratch, int stride,
                   float* to) {
  HWY_DYNAMIC_DISPATCH(row_normalized)(magnitude, sum, length, scratch, stride, to);
}

void cells_row(const CellRows& rows, int length, float* scratch, int stride,
               float* const (&to)[kChannels]) {
  HWY_DYNAMIC_DISPATCH(cells)(rows, length, scratch, stride, to);
}

}  // namespace facepipe::detector::acf
#endif
