// Converts frames of any YUV layout to 8-bit planes. So the code that makes RGB is the same for all
// layouts.
#pragma once

#include <array>
#include <cstdint>
#include <opencv2/core.hpp>

#include "core/frame.h"

namespace facepipe::detector {

/// Reduces samples to 8 bits (rounded), separates interleaved chroma, adds neutral chroma to grey
/// frames, and repeats chroma that is coarser than half of luma's width or height. If a plane
/// already has this form, it is not copied.
///
/// Owns scratch memory. Only one thread at a time may use an object.
class ByteYuv {
 public:
  struct View {
    std::array<Plane, 3> planes;
    Size size;                       ///< the frame's size
    bool half_width_chroma = true;   ///< true for 4:2:0 and 4:2:2; false if it is as wide as luma
    bool half_height_chroma = true;  ///< true for 4:2:0; false if it is as high as luma
  };

  /// Returns the frame's planes. The view is valid until the next call, and only while the frame
  /// exists.
  [[nodiscard]] View view(const Frame& frame);

  /// Returns one plane in 8 bits. `channels` is 1 for a planar format, and 2 for an interleaved
  /// one. The plane is valid until the next call, and only while the frame exists.
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
