// Reads pictures from NV12 files without padding, for measurements.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "core/geometry.h"
#include "detector/model_file.h"
#include "tests/support/test_frame.h"

namespace facepipe::bench {

inline constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};

/// Throws std::invalid_argument if NV12 can't have this size, because the width or height is odd.
inline void check_nv12(Size size) {
  if (size.width % 2 != 0 || size.height % 2 != 0)
    throw std::invalid_argument("no size of whole numbers of two: " + to_string(size));
}

/// Returns the bytes of an NV12 file. Throws std::invalid_argument if the file's length doesn't fit
/// the size, and like check_nv12() and read_model_file().
inline std::string read_nv12(const std::string& file, Size size) {
  std::string bytes = detector::read_model_file(file);
  check_nv12(size);
  if (bytes.size() !=
      static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * 3 / 2)
    throw std::invalid_argument(file + " is not NV12 of " + to_string(size));
  return bytes;
}

/// Returns an NV12 frame with these bytes.
inline Frame frame_of_nv12(const std::string& bytes, Size size, bool full_range = false) {
  const auto width = static_cast<std::size_t>(size.width);
  const auto height = static_cast<std::size_t>(size.height);
  test::FrameSpec spec{.format = kNv12, .size = size};
  spec.color.full_range = full_range;
  Frame frame = test::make_noise_frame(spec, 1);
  for (std::size_t y = 0; y < height * 3 / 2; ++y) {
    const std::size_t plane = y < height ? 0 : 1;
    const std::size_t row = y < height ? y : y - height;
    for (std::size_t x = 0; x < width; ++x)
      test::set_raw_sample(frame, plane, static_cast<int>(x), static_cast<int>(row),
                           static_cast<unsigned char>(bytes[y * width + x]));
  }
  return frame;
}

}  // namespace facepipe::bench
