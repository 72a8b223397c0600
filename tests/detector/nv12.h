// Makes frames in the formats of NVDEC.
#pragma once

#include "core/frame.h"
#include "tests/support/test_frame.h"

namespace facepipe::test {

inline constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};
inline constexpr PixelFormat kP010{true, 1, 1, 10, 6, true};

/// Converts a planar 8-bit frame to NV12, NVDEC's format: chroma is interleaved and has half the
/// size.
inline Frame as_nv12(const Frame& planar) {
  FrameSpec spec{kNv12, planar.size, planar.orientation, planar.color};
  Frame frame = make_noise_frame(spec, 1);
  const Size chroma = frame.chroma_size();
  // These are the columns and rows of planar chroma that become one sample of NV12's chroma.
  const int columns = 1 << (1 - planar.format.log2_chroma_w);
  const int rows = 1 << (1 - planar.format.log2_chroma_h);
  for (int y = 0; y < planar.size.height; ++y)
    for (int x = 0; x < planar.size.width; ++x)
      set_raw_sample(frame, 0, x, y, raw_sample(planar, 0, x, y));
  for (int y = 0; y < chroma.height; ++y)
    for (int x = 0; x < chroma.width; ++x)
      for (const int plane : {1, 2})
        set_raw_sample(frame, 1, 2 * x + plane - 1, y,
                       raw_sample(planar, static_cast<std::size_t>(plane), x * columns, y * rows));
  return frame;
}

}  // namespace facepipe::test
