// The arithmetic of channels.h on whole rows, by Highway's vectors: what the processor has. Every
// vector operation is the scalar one, so results are the same with all instruction sets.
//
// Rows of floats have room for kRowRoom samples behind their end, which may be read and
// overwritten.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detector/acf/channels.h"
#include "detector/acf/pyramid.h"

namespace facepipe::detector::acf {

/// Samples of a vector, at most.
inline constexpr int kRowRoom = 16;

/// Floats from one row to the next, for rows of `length` samples with their room.
[[nodiscard]] constexpr int row_stride(int length) {
  return (length + kRowRoom - 1) / kRowRoom * kRowRoom + kRowRoom;
}

struct ColorRow {
  const std::uint8_t* y = nullptr;
  const std::uint8_t* u = nullptr;  ///< of luma's width
  const std::uint8_t* v = nullptr;
};

/// color_of(): `width` pixels of 4 bytes each, red, green, blue and an unused one. Nothing is
/// touched behind the ends.
void to_rgb_row(const ColorRow& from, const float (&to_rgb)[3][4], int width, std::uint8_t* to);

/// luv_of(): of pixels as to_rgb_row() writes them.
void to_luv_row(const std::uint8_t* from, int width, const float* lightness, float* l, float* u,
                float* v);

/// Sums down: each of `rows` times its weight, in their order; a single one is only copied.
void add_rows(const float* const* rows, const float* weights, int count, int length, float* to);

/// Sums across, each times `factor`. `from` has no NaN in its room.
void add_taps(const float* from, const Taps& taps, float factor, float* to);
/// The product with `factor` alone.
void scale_row(const float* from, float factor, int length, float* to);

/// smoothed(), down, and across.
void smooth_down(const float* before, const float* here, const float* after, int length, float* to);
void smooth_across(const float* from, int length, float* to);

/// A row of LUV, with the one before, and the one after. At the border the row itself stands for
/// the one that is not there.
struct ThreeRows {
  const float* before[kColors] = {};
  const float* here[kColors] = {};
  const float* after[kColors] = {};
};

/// Magnitude and orientation of the strongest gradient. `down`: the factor of slope() down. Needs
/// three samples to the row, and one before each row that may be read.
void gradient_row(const ThreeRows& rows, float down, int length, float* magnitude,
                  float* orientation);

/// What of the triangle's sums down is kept from one row to the next: of row e of magnitudes, sums
/// of two (from e - 1 on), of six (from e - 5 on), of two of those (from e - 6 on).
struct TriangleRows {
  const float* magnitude_before = nullptr;  ///< e - 1
  const float* magnitude = nullptr;         ///< e
  const float* pair4 = nullptr;             ///< from e - 5 on
  const float* pair2 = nullptr;             ///< from e - 3 on
  float* pair = nullptr;                    ///< from e - 1 on: made
  const float* six_before = nullptr;        ///< from e - 6 on
  float* six = nullptr;                     ///< from e - 5 on: made
  const float* double4 = nullptr;           ///< from e - 10 on
  const float* double2 = nullptr;           ///< from e - 8 on
  float* doubled = nullptr;                 ///< from e - 6 on: made
  float* sum = nullptr;                     ///< of rows e - 10 .. e: made
};
void add_triangle_row(const TriangleRows& rows, int length);

/// The sums across of a row of sums down, by which magnitudes are divided. `scratch` has three rows
/// of length + 2 * kRadius samples, `stride` apart.
void normalize_row(const float* magnitude, const float* sum, int length, float* scratch, int stride,
                   float* to);

/// Four rows of smoothed LUV, of normalized magnitudes and of orientations.
struct CellRows {
  const float* color[kColors][kShrink] = {};
  const float* magnitude[kShrink] = {};
  const float* orientation[kShrink] = {};
};
/// A row of `length` cells of each channel. `scratch` has kOrientations rows of 4 * length samples,
/// `stride` apart.
void cells_row(const CellRows& rows, int length, float* scratch, int stride,
               float* const (&to)[kChannels]);

}  // namespace facepipe::detector::acf
