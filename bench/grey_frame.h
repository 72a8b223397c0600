#pragma once

#include <string>

#include "bench/nv12_picture.h"

namespace facepipe::bench {

/// Returns an NV12 frame of full range, whose luma samples are the grey levels. Throws
/// std::invalid_argument if the width or height is odd.
inline Frame grey_frame(const std::string& pixels, Size size) {
  check_nv12(size);
  return frame_of_nv12(pixels + std::string(pixels.size() / 2, '\x80'), size, true);
}

}  // namespace facepipe::bench
