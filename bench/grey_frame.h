// A grey picture as a frame for detectors on a CUDA device.
#pragma once

#include <stdexcept>
#include <string>

#include "bench/grey_pictures.h"
#include "tests/support/test_frame.h"

namespace facepipe {

/// NV12 of full range, so that a sample is its grey level. Throws std::invalid_argument for a size
/// that is no whole numbers of two.
inline Frame grey_frame(const std::string& pixels, Size size) {
  if (size.width % 2 != 0 || size.height % 2 != 0)
    throw std::invalid_argument("no size of whole numbers of two: " + to_string(size));
  constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};
  test::FrameSpec spec{kNv12, size, {}};
  spec.color.full_range = true;
  Frame frame = test::make_noise_frame(spec, 1);
  const auto width = static_cast<std::size_t>(size.width);
  for (std::size_t y = 0; y < static_cast<std::size_t>(size.height); ++y)
    for (std::size_t x = 0; x < width; ++x)
      test::set_raw_sample(frame, 0, static_cast<int>(x), static_cast<int>(y),
                           static_cast<unsigned char>(pixels[y * width + x]));
  return frame;
}

}  // namespace facepipe
