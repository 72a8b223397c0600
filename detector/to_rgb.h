// How samples of a stream become red, green and blue (ITU-T H.273).
#pragma once

#include "core/frame.h"

namespace facepipe {

/// Fills a matrix such as FrameDescriptor::to_rgb: rows of red, green and blue, columns of Y, U, V
/// and 1, from samples as integers of format.bits bits (the format's shift undone) to 0..255, not
/// yet clamped. Exact but for rounding to float.
///
/// The matrix is matrix_or_default(color, size); of others than BT.601, BT.709, BT.2020, FCC and
/// SMPTE 240M (such as YCgCo) it is BT.601's, and the identity (of any range) takes Y, U and V as
/// green, blue and red: as the CPU's Preprocessor.
void fill_to_rgb(float (&to_rgb)[3][4], const ColorInfo& color, const PixelFormat& format,
                 Size size);

}  // namespace facepipe
