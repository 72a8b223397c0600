// A grey picture as a frame for detectors on a CUDA device.
#pragma once

#include <string>

#include "bench/nv12_picture.h"

namespace facepipe::bench {

/// NV12 of full range, so that a sample is its grey level. Throws std::invalid_argument for a size
/// that is no whole numbers of two.
inline Frame grey_frame(const std::string& pixels, Size size) {
  check_nv12(size);
  return frame_of_nv12(pixels + std::string(pixels.size() / 2, '\x80'), size, true);
}

}  // namespace facepipe::bench
