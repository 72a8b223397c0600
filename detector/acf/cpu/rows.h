// Applies the arithmetic of channels.h to whole rows, with Highway's vectors for the processor at
// hand. Each vector operation is equal to the scalar operation, so all instruction sets compute the
// same results.
//
// Each row of floats must have room for kRowRoom more samples after its last sample. The functions
// may read and overwrite these samples.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detector/acf/channels.h"
#include "detector/acf/pyramid.h"

namespace facepipe::detector::acf {

/// Number of samples for which there is room after a row. No vector has more samples.
inline constexpr int kRowRoom = 16;

/// Returns the number of floats from one row to the next: the samples and the room after them.
[[nodiscard]] constexpr int row_stride(int length) {
  return (length + kRowRoom - 1) / kRowRoom * kRowRoom + kRowRoom;
}

struct ColorRow {
  const std::uint8_t* y = nullptr;
  const std::uint8_t* u = nullptr;  ///< as wide as luma; so is v
  const std::uint8_t* v = nullptr;
};

/// Applies color_of() to `width` pixels. A pixel has 4 bytes: red, green, blue and an unused byte.
/// Reads and writes nothing beyond the ends of the rows.
void to_rgb_row(const ColorRow& from, const float (&to_rgb)[3][4], int width, std::uint8_t* to);

/// Applies luv_of() to pixels in the format that to_rgb_row() writes.
void to_luv_row(const std::uint8_t* from, int width, const float* lightness, float* l, float* u,
                float* v);

/// Adds up `count` rows, each multiplied by its weight, in their order.
void add_rows(const float* const* rows, const float* weights, int count, int length, float* to);

/// Resamples a row by `taps`, and multiplies each result by `factor`. The room after `from` must
/// not contain NaN.
void add_taps(const float* from, const Taps& taps, float factor, float* to);

/// smooth_down() applies smoothed() to samples of three rows, and smooth_across() to samples within
/// a row.
void smooth_down(const float* before, const float* here, const float* after, int length, float* to);
void smooth_across(const float* from, int length, float* to);

/// Refers to a row of LUV, with the row before and the row after it. At the border, the row itself
/// replaces the missing row.
struct ThreeRows {
  const float* before[kColors] = {};
  const float* here[kColors] = {};
  const float* after[kColors] = {};
};

/// Computes the magnitude and the orientation of the strongest gradient of each pixel. `down` is
/// the factor of the vertical slope(). A row must have at least three samples, and a readable
/// sample before the first one.
void gradient_row(const ThreeRows& rows, float down, int length, float* magnitude,
                  float* orientation);

/// Refers to rows that the triangle filter works with: magnitudes, and sums of several rows of
/// magnitudes. e is the newest row. "The sum of two from e - 1 on" is the sum of rows e - 1 and e.
/// "The sum of six from e - 5 on" is the sum of rows e - 5 .. e. A doubled sum adds two
/// neighbouring sums of six. Members marked "made" are written, all others are read.
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
  float* doubled = nullptr;  ///< made: the sum of two sums of six, from e - 6 and e - 5 on
  float* sum = nullptr;      ///< made: the triangle's sum of rows e - 10 .. e
};
void add_triangle_row(const TriangleRows& rows, int length);

/// Adds up each row of vertical sums horizontally, and divides the magnitudes by the result.
/// `scratch` has three rows of length + 2 * kRadius samples. `stride` is the distance of these
/// rows.
void normalize_row(const float* magnitude, const float* sum, int length, float* scratch, int stride,
                   float* to);

/// Refers to the rows from which a row of cells is made: four rows each of smoothed LUV, of
/// normalized magnitudes and of orientations.
struct CellRows {
  const float* color[kColors][kShrink] = {};
  const float* magnitude[kShrink] = {};
  const float* orientation[kShrink] = {};
};
/// Makes a row of `length` cells of each channel. `scratch` has kOrientations rows of 4 * length
/// samples. `stride` is the distance of these rows.
void cells_row(const CellRows& rows, int length, float* scratch, int stride,
               float* const (&to)[kChannels]);

}  // namespace facepipe::detector::acf
