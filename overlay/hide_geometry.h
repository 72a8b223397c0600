// Computes the masks of faces, and the values of the samples that hide them, in integers. The host
// and the kernels share this code, so both hide the same samples and give them the same values.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/geometry.h"
#include "core/host_device.h"
#include "overlay/geometry.h"

namespace facepipe::overlay {

/// Holds an ellipse in units of 1 / kUnits pixel of the stored picture. rx = 0 means that there is
/// no ellipse, and the mask is the whole rectangle.
struct MaskEllipse {
  static constexpr int kUnits = 32;

  std::int32_t x = 0;  ///< the centre is (x, y)
  std::int32_t y = 0;
  std::int32_t rx = 0;  ///< the half axes are rx and ry, both below 2^23
  std::int32_t ry = 0;
  friend bool operator==(const MaskEllipse&, const MaskEllipse&) = default;
};

/// Holds the radii of a box filter on one plane, in samples of that plane. The filter takes 2 *
/// radius + 1 samples. Radii are at least 1.
struct BlurRadius {
  static constexpr int kMost = 4096;

  std::int32_t x = 1;
  std::int32_t y = 1;
  friend bool operator==(const BlurRadius&, const BlurRadius&) = default;
};

/// Says which pixels of the stored picture are hidden for one face.
struct HideMask {
  PixelRect whole;  ///< its edges are edges of chroma cells; it may extend beyond the picture
  PixelRect area;   ///< `whole`, clipped to the picture; not empty
  MaskEllipse ellipse;
  BlurRadius luma_radius;
  BlurRadius chroma_radius;
  friend bool operator==(const HideMask&, const HideMask&) = default;
};

/// Names the columns x1 <= x < x2 of a row.
struct ColumnSpan {
  int x1 = 0;
  int x2 = 0;
  [[nodiscard]] FACEPIPE_HOST_DEVICE bool empty() const { return x1 >= x2; }
};

/// Says how a plane's samples relate to pixels: there is a sample for each 2^log2_w x 2^log2_h
/// pixels.
struct PlaneGrid {
  int log2_w = 0;
  int log2_h = 0;

  /// Returns the samples of the pixels x1 <= x < x2. The result is empty only if x1 = x2 is the
  /// edge of a sample.
  [[nodiscard]] FACEPIPE_HOST_DEVICE ColumnSpan samples_of(const ColumnSpan& pixels) const {
    return {pixels.x1 >> log2_w, ((pixels.x2 - 1) >> log2_w) + 1};
  }
  [[nodiscard]] FACEPIPE_HOST_DEVICE PixelRect samples_of(const PixelRect& pixels) const {
    return {pixels.x1 >> log2_w, pixels.y1 >> log2_h, ((pixels.x2 - 1) >> log2_w) + 1,
            ((pixels.y2 - 1) >> log2_h) + 1};
  }
};

namespace hide_detail {

/// Returns the smallest root with root * root >= value, for value < 2^53. The root of a double may
/// be off by one on any device, so it is corrected in integers.
FACEPIPE_HOST_DEVICE inline std::int64_t ceil_sqrt(std::int64_t value) {
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(value)));
  while (root * root < value) ++root;
  while (root > 0 && (root - 1) * (root - 1) >= value) --root;
  return root;
}
/// floor_divide() rounds the quotient down, and ceil_divide() rounds it up. `divisor` must be > 0.
FACEPIPE_HOST_DEVICE inline std::int64_t floor_divide(std::int64_t value, std::int64_t divisor) {
  const std::int64_t quotient = value / divisor;
  return value % divisor < 0 ? quotient - 1 : quotient;
}
FACEPIPE_HOST_DEVICE inline std::int64_t ceil_divide(std::int64_t value, std::int64_t divisor) {
  return -floor_divide(-value, divisor);
}

}  // namespace hide_detail

/// Returns the pixels that the mask hides in row `y`, for area.y1 <= y < area.y2. `cell` is the
/// size of the picture's chroma cells. An ellipse hides all cells that it touches in the row of
/// cells that contains `y`. So a cell is hidden completely or not at all. The result may be empty.
/// Its edges are edges of `area` or of cells.
FACEPIPE_HOST_DEVICE inline ColumnSpan masked_columns(const HideMask& mask, const Size& cell,
                                                      int y) {
  using overlay_detail::larger;
  using overlay_detail::smaller;
  constexpr int kUnits = MaskEllipse::kUnits;
  const MaskEllipse& ellipse = mask.ellipse;
  if (ellipse.rx == 0) return {mask.area.x1, mask.area.x2};

  const int top = y / cell.height * cell.height;
  const int above = ellipse.y - kUnits * (top + cell.height);
  const int below = kUnits * top - ellipse.y;
  // Distance from the ellipse's centre to the row of cells that contains `y`.
  const std::int64_t distance = larger(0, larger(above, below));
  const std::int64_t ry = ellipse.ry;
  if (distance >= ry) return {mask.area.x1, mask.area.x1};
  const std::int64_t root = hide_detail::ceil_sqrt(ry * ry - distance * distance);
  const std::int64_t half = hide_detail::ceil_divide(ellipse.rx * root, ry);
  const auto left = static_cast<int>(hide_detail::floor_divide(ellipse.x - half, kUnits));
  const auto right = static_cast<int>(hide_detail::ceil_divide(ellipse.x + half, kUnits));
  const OverlayAxis columns{0, cell.width, 0};
  const int x1 = larger(mask.area.x1, columns.edge_before(left));
  return {x1, larger(x1, smaller(mask.area.x2, columns.edge_after(right)))};
}

/// Returns the pixels of cell (column, row) of a mosaic of `cells` x `cells` over mask.whole,
/// clipped to mask.area. The result may be empty. Its edges are edges of chroma cells.
FACEPIPE_HOST_DEVICE inline PixelRect mosaic_cell(const HideMask& mask, const Size& chroma_cell,
                                                  int cells, int column, int row) {
  using overlay_detail::larger;
  using overlay_detail::smaller;
  const int columns = (mask.whole.x2 - mask.whole.x1) / chroma_cell.width;
  const int rows = (mask.whole.y2 - mask.whole.y1) / chroma_cell.height;
  const int x1 = mask.whole.x1 + column * columns / cells * chroma_cell.width;
  const int x2 = mask.whole.x1 + (column + 1) * columns / cells * chroma_cell.width;
  const int y1 = mask.whole.y1 + row * rows / cells * chroma_cell.height;
  const int y2 = mask.whole.y1 + (row + 1) * rows / cells * chroma_cell.height;
  return {larger(x1, mask.area.x1), larger(y1, mask.area.y1), smaller(x2, mask.area.x2),
          smaller(y2, mask.area.y2)};
}

/// Returns the mean of `count` > 0 samples, rounded to the nearest, halves up.
FACEPIPE_HOST_DEVICE inline unsigned mosaic_mean(std::uint64_t sum, std::uint64_t count) {
  return static_cast<unsigned>((sum + count / 2) / count);
}

/// Computes the mean of 2 * radius + 1 samples of 16 bits from their sum, without a division. If
/// all samples are equal, the mean is exact. Otherwise its error is at most 0.7 (a sample is
/// 0..65,535).
struct BoxMean {
  std::uint32_t radius;
  std::uint32_t factor;  ///< 2^32 / (2 * radius + 1), rounded up

  FACEPIPE_HOST_DEVICE explicit BoxMean(int filter_radius)
      : radius(static_cast<std::uint32_t>(filter_radius)),
        factor(static_cast<std::uint32_t>(((std::uint64_t{1} << 32) + 2 * radius) /
                                          (2 * radius + 1))) {}
  [[nodiscard]] FACEPIPE_HOST_DEVICE std::uint16_t operator()(std::uint32_t sum) const {
    return static_cast<std::uint16_t>((std::uint64_t{sum + radius} * factor) >> 32);
  }
};

/// Returns the index, 0..length - 1, of the sample that is read for index `at`, which may lie
/// outside of the row. The row is mirrored at both ends, again and again: -1 becomes 0, and
/// `length` becomes length - 1.
FACEPIPE_HOST_DEVICE inline int mirrored(int at, int length) {
  if (0 <= at && at < length) return at;
  const int period = 2 * length;
  const int past = at % period;
  const int within = past < 0 ? past + period : past;
  return within < length ? within : period - 1 - within;
}

/// Converts between stored samples of `bits` bits, shifted left by `shift`, and the 16 bits with
/// which a blur computes. With 8-bit samples, 8 bits remain for fractions, so the errors of six
/// roundings together stay below one step of the stored samples.
struct SampleScale {
  int bits = 8;
  int shift = 0;

  [[nodiscard]] FACEPIPE_HOST_DEVICE std::uint16_t widened(unsigned stored) const {
    return static_cast<std::uint16_t>((stored >> shift) << (16 - bits));
  }
  [[nodiscard]] FACEPIPE_HOST_DEVICE std::uint16_t narrowed(unsigned wide) const {
    const unsigned half = (1U << (16 - bits)) >> 1;
    return static_cast<std::uint16_t>(((wide + half) >> (16 - bits)) << shift);
  }
};

/// Says between which two samples of an image's row (or column) to interpolate. `part` is the
/// weight of the second sample, in 1/256.
struct ImageTap {
  int first = 0;
  int second = 0;
  std::uint32_t part = 0;
};

/// Returns the tap for sample `at` if `size` samples of an image are stretched to `length` samples,
/// with the centres aligned. 0 <= at < length.
FACEPIPE_HOST_DEVICE inline ImageTap image_tap(int at, int length, int size) {
  const std::int64_t centre = (2 * std::int64_t{at} + 1) * size * 128 / length - 128;
  const std::int64_t position = centre < 0 ? 0 : centre;
  const auto first = static_cast<int>(position >> 8);
  return {first, overlay_detail::smaller(first + 1, size - 1),
          static_cast<std::uint32_t>(position & 255)};
}

/// Returns the bilinear mean of four samples of up to 16 bits. The samples of a row lie side by
/// side.
FACEPIPE_HOST_DEVICE inline std::uint16_t bilinear(const std::uint16_t* upper,
                                                   const std::uint16_t* lower, const ImageTap& x,
                                                   std::uint32_t y_part) {
  const std::uint32_t above = upper[x.first] * (256 - x.part) + upper[x.second] * x.part;
  const std::uint32_t below = lower[x.first] * (256 - x.part) + lower[x.second] * x.part;
  // The sum is below 2^32: 65535 * 65536 + 32768.
  return static_cast<std::uint16_t>((above * (256 - y_part) + below * y_part + 32768) >> 16);
}

}  // namespace facepipe::overlay
