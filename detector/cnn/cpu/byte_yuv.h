// ByteYuv turns any YUV layout into 8-bit planes, so that one piece of code makes RGB of all
// layouts.
#pragma once

#include <array>
#include <cstdint>
#include <opencv2/core.hpp>

#include "core/frame.h"

namespace facepipe::detector {

/// Reduces samples to 8 bits (rounded), separates interleaved chroma, gives grey a neutral chroma,
/// and repeats chroma that is coarser than half of luma's width or height. Planes that already have
/// this form are passed on without a copy.
///
/// Owns scratch memory. One thread uses it at a time.
class ByteYuv {
 public:
  struct View {
    std::array<Plane, 3> planes;
    Size size;                       ///< the frame's size
    bool half_width_chroma = true;   ///< true for 4:2:0 and 4:2:2; false: chroma has luma's width
    bool half_height_chroma = true;  ///< true for 4:2:0; false: chroma has luma's height
  };

  /// The view is valid as long as the frame, and until the next call.
  [[nodiscard]] View view(const Frame& frame);

  /// Returns one plane in 8 bits. The format is planar (`channels` is 1) or interleaved (2). The
  /// plane is valid as long as a view.
  [[nodiscard]] cv::Mat to_bytes(const Frame& frame, std::size_t plane, int channels);

 private:
  using Mats = std::array<cv::Mat, 3>;

  [[nodiscard]] Mats separate(const Frame& frame);
  void repeat(cv::Mat& plane, std::size_t index, int columns, int rows);

  Mats bytes_;      ///< planes reduced to 8 bits
  Mats separated_;  ///< planes from interleaved chroma
  Mats repeated_;
};

}  // namespace facepipe::detector
