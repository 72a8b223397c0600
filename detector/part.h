// Refers to a part of a frame.
#pragma once

#include "core/frame.h"
#include "core/turning.h"

namespace facepipe::detector {

/// Returns a frame that refers to a part of the samples, and keeps them alive. It has the whole
/// frame's matrix. Precondition: the part lies in the stored picture, and begins with a whole
/// sample of chroma.
/// @param first  the part's first sample in the stored picture
/// @param size   the part's size in the stored picture
[[nodiscard]] Frame part_of(const Frame& frame, PixelPlace first, Size size);

}  // namespace facepipe::detector
