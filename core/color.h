// Converts samples to red, green and blue, and back. This is the only place that knows ITU-T
// H.273's MatrixCoefficients.
#pragma once

#include <array>

#include "core/frame.h"

namespace facepipe {

/// Holds three affine functions of three values. Rows are the results; columns are the values and
/// 1.
using ColorMap = std::array<std::array<double, 4>, 3>;

/// Maps red, green and blue (after the transfer function, 0..1) to Y, U and V. These are samples of
/// format.bits bits, without the format's shift, neither rounded nor clamped. The map follows
/// H.273's formulas for the matrix that matrix_or_default(color, size) names, for color.full_range
/// and for format.bits:
///
/// * 0, the identity: Y, U and V are green, blue and red, always of full range.
/// * 1, 4, 5, 6, 7, 9: Y'CbCr by weights of red and blue.
/// * 8, YCgCo; 16 and 17, its variants with 2 bits and 1 bit more than red, green and blue have: Y,
///   Cg and Co. The rounding inside the formulas of 16 and 17 is left out (half a step of a
///   sample).
/// * 11, SMPTE ST 2085: Y, D'z and D'x. None of its greys has exactly neutral chroma.
/// * 12: Y'CbCr by the weights that color.primaries give, or BT.2020's if the primaries are not
///   known.
///
/// The other matrices are not affine and are approximated: 10 (BT.2020 with constant luminance), 14
/// (ICtCp) and 15 (IPT-PQ-C2) by 9, and 13 (constant luminance) by 12. The hue is close enough for
/// drawing and for finding faces.
[[nodiscard]] ColorMap samples_of_rgb(const ColorInfo& color, const PixelFormat& format, Size size);

/// Returns the inverse, which maps samples to red, green and blue.
[[nodiscard]] ColorMap rgb_of_samples(const ColorInfo& color, const PixelFormat& format, Size size);

/// Fills a matrix such as FrameDescriptor::to_rgb with rgb_of_samples(), rounded to float. Its rows
/// are red, green and blue; its columns are Y, U, V and 1. It takes samples as integers of
/// format.bits bits, without the format's shift, and gives 0..255, not yet clamped.
void fill_to_rgb(float (&to_rgb)[3][4], const ColorInfo& color, const PixelFormat& format,
                 Size size);

}  // namespace facepipe
