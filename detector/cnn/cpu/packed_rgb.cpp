#include "detector/cnn/cpu/packed_rgb.h"

#include <algorithm>

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "detector/cnn/cpu/packed_rgb.cpp"
#include <hwy/foreach_target.h>
// Highway requires this include to follow foreach_target.h.
#include <hwy/highway.h>

#ifndef FACEPIPE_DETECTOR_PACKED_ROW
#define FACEPIPE_DETECTOR_PACKED_ROW
namespace facepipe::detector {

/// Describes one row. Luma and chroma have the same width. The rows of `matrix` are in the order of
/// a pixel's bytes.
struct PackedRow {
  const std::uint8_t* y;
  const std::uint8_t* u;
  const std::uint8_t* v;
  const float* matrix[3];
  int width;
  int channels;
};

}  // namespace facepipe::detector
#endif

HWY_BEFORE_NAMESPACE();
namespace facepipe::detector::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, 16>;
using Words = hn::RebindToSigned<Lanes>;
using Bytes = hn::Rebind<std::uint8_t, Lanes>;

HWY_INLINE hn::Vec<Lanes> load(const std::uint8_t* from) {
  return hn::ConvertTo(Lanes(), hn::PromoteTo(Words(), hn::LoadU(Bytes(), from)));
}

/// Converts one pixel for each lane of a vector.
HWY_INLINE void convert_pixels(const PackedRow& row, const std::uint8_t* from_y,
                               const std::uint8_t* from_u, const std::uint8_t* from_v,
                               std::uint8_t* to) {
  const Lanes d;
  const auto y = load(from_y);
  const auto u = load(from_u);
  const auto v = load(from_v);
  const auto byte = [&](const float* m) HWY_ATTR {
    const auto chroma =
        hn::MulAdd(hn::Set(d, m[1]), u, hn::MulAdd(hn::Set(d, m[2]), v, hn::Set(d, m[3])));
    return hn::DemoteTo(Bytes(), hn::NearestInt(hn::MulAdd(hn::Set(d, m[0]), y, chroma)));
  };
  const auto first = byte(row.matrix[0]);
  const auto second = byte(row.matrix[1]);
  const auto third = byte(row.matrix[2]);
  if (row.channels == 3)
    hn::StoreInterleaved3(first, second, third, Bytes(), to);
  else
    hn::StoreInterleaved4(first, second, third, hn::Zero(Bytes()), Bytes(), to);
}

void convert_row(const PackedRow& row, std::uint8_t* to) {
  constexpr int kMost = 16;
  const int lanes = static_cast<int>(hn::Lanes(Lanes()));
  int x = 0;
  for (; x + lanes <= row.width; x += lanes)
    convert_pixels(row, row.y + x, row.u + x, row.v + x, to + x * row.channels);
  if (x == row.width) return;
  // The vectors must not read or write beyond the ends of the rows. So the last pixels are copied.
  const int rest = row.width - x;
  std::uint8_t in[3][kMost] = {};
  std::uint8_t out[4 * kMost];
  std::copy_n(row.y + x, rest, in[0]);
  std::copy_n(row.u + x, rest, in[1]);
  std::copy_n(row.v + x, rest, in[2]);
  convert_pixels(row, in[0], in[1], in[2], out);
  std::copy_n(out, rest * row.channels, to + x * row.channels);
}

}  // namespace facepipe::detector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace facepipe::detector {

HWY_EXPORT(convert_row);

namespace {

const std::uint8_t* row_of(const Plane& plane, int row) {
  return reinterpret_cast<const std::uint8_t*>(plane.data) + row * plane.stride;
}

/// Returns a row of chroma that is as wide as luma. If chroma has half luma's width, the row is
/// written to `scratch`, each sample twice.
const std::uint8_t* chroma_row(const ByteYuv::View& yuv, std::size_t plane, int row,
                               std::vector<std::uint8_t>& scratch) {
  const std::uint8_t* const from = row_of(yuv.planes[plane], row);
  if (!yuv.half_width_chroma) return from;
  for (std::size_t i = 0; i < scratch.size() / 2; ++i) {
    scratch[2 * i] = from[i];
    scratch[2 * i + 1] = from[i];
  }
  return scratch.data();
}

}  // namespace

void PackedRgb::convert(const ByteYuv::View& yuv, const float (&to_rgb)[3][4], ChannelOrder order,
                        int channels, std::uint8_t* to, std::ptrdiff_t stride) {
  const auto even = static_cast<std::size_t>((yuv.size.width + 1) / 2 * 2);
  u_.resize(even);
  v_.resize(even);
  const bool rgb = order == ChannelOrder::rgb;
  PackedRow row{nullptr,        nullptr,
                nullptr,        {to_rgb[rgb ? 0 : 2], to_rgb[1], to_rgb[rgb ? 2 : 0]},
                yuv.size.width, channels};
  for (int y = 0; y < yuv.size.height; ++y) {
    row.y = row_of(yuv.planes[0], y);
    if (!yuv.half_height_chroma || y % 2 == 0) {
      const int chroma = yuv.half_height_chroma ? y / 2 : y;
      row.u = chroma_row(yuv, 1, chroma, u_);
      row.v = chroma_row(yuv, 2, chroma, v_);
    }
    HWY_DYNAMIC_DISPATCH(convert_row)(row, to + y * stride);
  }
}

}  // namespace facepipe::detector
#endif  // HWY_ONCE
