// What the samples of a picture mean in red, green and blue, and back: the one place for ITU-T
// H.273's MatrixCoefficients.
#pragma once

#include <array>

#include "core/frame.h"

namespace facepipe {

/// Three affine functions of three values: rows of the results, columns of the values and 1.
using ColorMap = std::array<std::array<double, 4>, 3>;

/// Red, green and blue (after the transfer function, 0..1) to Y, U and V as samples of format.bits
/// bits, the format's shift undone; neither rounded nor clamped. Follows H.273's formulas of the
/// matrix that matrix_or_default(color, size) names, of color.full_range and of format.bits:
///
/// * 0, the identity: Y, U and V are green, blue and red, always of full range.
/// * 1, 4, 5, 6, 7, 9: Y'CbCr by weights of red and blue.
/// * 8, YCgCo, and 16 and 17, its kinds of 2 bits and 1 bit more than red, green and blue have: Y,
///   Cg and Co. The rounding within 16's and 17's formulas is left out (half a step of a sample).
/// * 11, SMPTE ST 2085: Y, D'z and D'x. No grey of it has quite neutral chroma.
/// * 12: Y'CbCr by the weights that color.primaries give; BT.2020's where they are not known.
///
/// The others are no function of this kind, and are approximated: 10 (BT.2020 with constant
/// luminance), 14 (ICtCp) and 15 (IPT-PQ-C2) by 9, and 13 (constant luminance) by 12. The hue is
/// near enough for drawings and for finding faces.
[[nodiscard]] ColorMap samples_of_rgb(const ColorInfo& color, const PixelFormat& format, Size size);

/// Its inverse: of samples to red, green and blue.
[[nodiscard]] ColorMap rgb_of_samples(const ColorInfo& color, const PixelFormat& format, Size size);

/// Fills a matrix such as FrameDescriptor::to_rgb with rgb_of_samples(), rounded to float: rows of
/// red, green and blue, columns of Y, U, V and 1, from samples as integers of format.bits bits (the
/// format's shift undone) to 0..255, not yet clamped.
void fill_to_rgb(float (&to_rgb)[3][4], const ColorInfo& color, const PixelFormat& format,
                 Size size);

}  // namespace facepipe
