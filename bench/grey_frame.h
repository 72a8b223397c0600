// Makes a frame for detectors on a CUDA device from a grey picture.
#pragma once

#include <string>

#include "bench/nv12_picture.h"

namespace facepipe::bench {

/// Returns NV12 of full range, in which a sample is its grey level. Throws std::invalid_argument if
/// width or height is odd.
inline Frame grey_frame(const std::string& pixels, Size size) {
  check_nv12(size);
  return frame_of_nv12(pixels + std::string(pixels.size() / 2, '\x80'), size, true);
}

}  // namespace facepipe::bench
