// How samples of a stream become red, green and blue (ITU-T H.273).
#pragma once

#include "core/frame.h"

namespace facepipe {

/// Fills a matrix such as FrameDescriptor::to_rgb: rows of red, green and blue, columns of Y, U, V
/// and 1, from samples as integers of format.bits bits (the format's shift undone) to 0..255, not
/// yet clamped: core/color.h's rgb_of_samples(), rounded to float.
void fill_to_rgb(float (&to_rgb)[3][4], const ColorInfo& color, const PixelFormat& format,
                 Size size);

}  // namespace facepipe
