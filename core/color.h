// Converts samples to red, green and blue, and back. No other file knows the meaning of ITU-T
// H.273's MatrixCoefficients.
#pragma once

#include <array>

#include "core/frame.h"

namespace facepipe {

/// Holds three affine functions of three values. Each row holds one function: three factors of the
/// values, then a constant.
using ColorMap = std::array<std::array<double, 4>, 3>;

/// Returns the map from red, green and blue (after the transfer function, 0..1) to Y, U and V. Y, U
/// and V are samples of format.bits bits, without the format's shift, neither rounded nor clamped.
/// The map follows H.273's formulas for the matrix that matrix_or_default(color, size) returns:
///
/// * 0 (identity): Y, U and V are green, blue and red. They always have full range.
/// * 1, 4, 5, 6, 7, 9: Y'CbCr with fixed weights of red and blue.
/// * 8 (YCgCo): Y, Cg and Co.
/// * 16 (YCgCo-Re) and 17 (YCgCo-Ro): Y, Cg and Co with 2 bits (16) or 1 bit (17) more than red,
///   green and blue. The map leaves out the rounding inside their formulas (half a step of a
///   sample).
/// * 11 (SMPTE ST 2085): Y, D'z and D'x. No grey has exactly neutral chroma.
/// * 12: Y'CbCr with weights computed from color.primaries, or with BT.2020's weights if the
///   primaries are unknown.
///
/// The other matrices are not affine. The map of 9 approximates 10 (BT.2020 with constant
/// luminance), 14 (ICtCp) and 15 (IPT-PQ-C2). The map of 12 approximates 13 (constant luminance).
/// The hue is close enough for drawing and for finding faces.
[[nodiscard]] ColorMap samples_of_rgb(const ColorInfo& color, const PixelFormat& format, Size size);

/// Returns the inverse of samples_of_rgb(): the map from samples to red, green and blue.
[[nodiscard]] ColorMap rgb_of_samples(const ColorInfo& color, const PixelFormat& format, Size size);

/// Fills a matrix (for example FrameDescriptor::to_rgb) with rgb_of_samples(), scaled to 0..255 and
/// rounded to float. Row * (Y, U, V, 1) is then red, green or blue, not clamped. The samples are
/// integers of format.bits bits, without the format's shift.
void fill_to_rgb(float (&to_rgb)[3][4], const ColorInfo& color, const PixelFormat& format,
                 Size size);

}  // namespace facepipe
