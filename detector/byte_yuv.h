// Any YUV layout as 8-bit planar 4:2:0 or 4:2:2: the two that swscale has fast and exact code for.
#pragma once

#include <array>
#include <cstdint>
#include <opencv2/core.hpp>

#include "core/frame.h"

namespace facepipe {

/// Reduces samples to 8 bits (rounded), separates interleaved chroma, gives grey a neutral chroma,
/// and brings chroma to half width (pairs of columns are averaged, coarser ones repeated) and to
/// half or full height (coarser rows repeated). Of an odd height the last row is doubled. Planes
/// that are already so are passed on without a copy.
///
/// Why: of FFmpeg 5.1's conversions to RGB only the vector code for these two layouts and even
/// heights is fast (0.6 ms at 1080p against 4 to 23 ms); of the others, those to full chroma
/// resolution wrap around for colours outside of RGB, and those of odd sizes shift the chroma.
///
/// Owns scratch memory; used by one thread at a time.
class ByteYuv {
 public:
  struct View {
    std::array<Plane, 3> planes;
    Size size;                       ///< the frame's, its height made even
    bool half_height_chroma = true;  ///< 4:2:0, else 4:2:2
  };

  /// Valid as long as the frame, and until the next call.
  [[nodiscard]] View view(const Frame& frame);

  /// One plane of a planar (`channels` 1) or interleaved (2) format in 8 bits; valid as long.
  [[nodiscard]] cv::Mat to_bytes(const Frame& frame, std::size_t plane, int channels);

 private:
  using Mats = std::array<cv::Mat, 3>;

  [[nodiscard]] Mats separate(const Frame& frame);
  void halve_columns(cv::Mat& plane, std::size_t index);
  void repeat(cv::Mat& plane, std::size_t index, int columns, int rows);
  void double_last_row(cv::Mat& plane, std::size_t index);

  Mats bytes_;      ///< reduced to 8 bits
  Mats separated_;  ///< from interleaved chroma
  Mats halved_;
  Mats repeated_;
  Mats extended_;  ///< last row doubled
};

}  // namespace facepipe
