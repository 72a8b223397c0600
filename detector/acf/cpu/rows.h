// This header has the arithmetic of channels.h for whole rows, with Highway's vectors for the
// processor at hand. Each vector operation equals the scalar one, so all instruction sets give the
// same results.
//
// Behind its end, a row of floats has room for kRowRoom samples, which functions may read and
// overwrite.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detector/acf/channels.h"
#include "detector/acf/pyramid.h"

namespace facepipe::detector::acf {

/// Most samples that a vector holds.
inline constexpr int kRowRoom = 16;

/// Floats from one row to the next. A row has `length` samples and the room behind them.
[[nodiscard]] constexpr int row_stride(int length) {
  return (length + kRowRoom - 1) / kRowRoom * kRowRoom + kRowRoom;
}

struct ColorRow {
  const std::uint8_t* y = nullptr;
  const std::uint8_t* u = nullptr;  ///< of luma's width; so is v
  const std::uint8_t* v = nullptr;
};

/// Applies color_of() to `width` pixels. A pixel has 4 bytes: red, green, blue and an unused one.
/// Nothing behind the ends is read or written.
void to_rgb_row(const ColorRow& from, const float (&to_rgb)[3][4], int width, std::uint8_t* to);

/// Applies luv_of() to pixels that to_rgb_row() writes.
void to_luv_row(const std::uint8_t* from, int width, const float* lightness, float* l, float* u,
                float* v);

/// Adds up `rows`, each times its weight, in their order.
void add_rows(const float* const* rows, const float* weights, int count, int length, float* to);

/// Adds up taps within a row, and multiplies each sum by `factor`. The room of `from` holds no NaN.
void add_taps(const float* from, const Taps& taps, float factor, float* to);
/// Multiplies each sample by `factor`.
void scale_row(const float* from, float factor, int length, float* to);

/// Apply smoothed(), down and across.
void smooth_down(const float* before, const float* here, const float* after, int length, float* to);
void smooth_across(const float* from, int length, float* to);

/// A row of LUV, with the row before and the row after it. At the border, the row itself takes the
/// place of the missing one.
struct ThreeRows {
  const float* before[kColors] = {};
  const float* here[kColors] = {};
  const float* after[kColors] = {};
};

/// Computes magnitude and orientation of the strongest gradient of each pixel. `down` is the factor
/// of the vertical slope(). A row needs at least three samples, and one sample before it that may
/// be read.
void gradient_row(const ThreeRows& rows, float down, int length, float* magnitude,
                  float* orientation);

/// Sums of rows of magnitudes that are kept from one row to the next. For row e there is the sum of
/// two rows (from e - 1 on) and of six rows (from e - 5 on). The doubled sum adds two sums of six
/// (from e - 6 on). The rows without "made" are read.
struct TriangleRows {
  const float* magnitude_before = nullptr;  ///< row e - 1
  const float* magnitude = nullptr;         ///< row e
  const float* pair4 = nullptr;             ///< the sum of two from e - 5 on
  const float* pair2 = nullptr;             ///< the sum of two from e - 3 on
  float* pair = nullptr;                    ///< made: the sum of two from e - 1 on
  const float* six_before = nullptr;        ///< the sum of six from e - 6 on
  float* six = nullptr;                     ///< made: the sum of six from e - 5 on
  const float* double4 = nullptr;           ///< the doubled sum from e - 10 on
  const float* double2 = nullptr;           ///< the doubled sum from e - 8 on
  float* doubled = nullptr;                 ///< made: two sums of six, from e - 6 on
  float* sum = nullptr;                     ///< made: the triangle's sum of rows e - 10 .. e
};
void add_triangle_row(const TriangleRows& rows, int length);

/// Adds up each row of vertical sums horizontally, and divides the magnitudes by the result.
/// `scratch` has three rows of length + 2 * kRadius samples, `stride` apart.
void normalize_row(const float* magnitude, const float* sum, int length, float* scratch, int stride,
                   float* to);

/// Four rows of smoothed LUV, of normalized magnitudes and of orientations: one row of cells.
struct CellRows {
  const float* color[kColors][kShrink] = {};
  const float* magnitude[kShrink] = {};
  const float* orientation[kShrink] = {};
};
/// Makes a row of `length` cells of each channel. `scratch` has kOrientations rows of 4 * length
/// samples, `stride` apart.
void cells_row(const CellRows& rows, int length, float* scratch, int stride,
               float* const (&to)[kChannels]);

}  // namespace facepipe::detector::acf
