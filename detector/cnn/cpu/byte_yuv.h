// Any YUV layout as 8-bit planes, of which one piece of code makes RGB.
#pragma once

#include <array>
#include <cstdint>
#include <opencv2/core.hpp>

#include "core/frame.h"

namespace facepipe::detector {

/// Reduces samples to 8 bits (rounded), separates interleaved chroma, gives grey a neutral chroma,
/// and repeats chroma that is coarser than half of luma's width or height. Planes that are already
/// so are passed on without a copy.
///
/// Owns scratch memory; used by one thread at a time.
class ByteYuv {
 public:
  struct View {
    std::array<Plane, 3> planes;
    Size size;                       ///< the frame's
    bool half_width_chroma = true;   ///< 4:2:0 and 4:2:2; else of luma's width
    bool half_height_chroma = true;  ///< 4:2:0
  };

  /// Valid as long as the frame, and until the next call.
  [[nodiscard]] View view(const Frame& frame);

  /// One plane of a planar (`channels` 1) or interleaved (2) format in 8 bits; valid as long.
  [[nodiscard]] cv::Mat to_bytes(const Frame& frame, std::size_t plane, int channels);

 private:
  using Mats = std::array<cv::Mat, 3>;

  [[nodiscard]] Mats separate(const Frame& frame);
  void repeat(cv::Mat& plane, std::size_t index, int columns, int rows);

  Mats bytes_;      ///< reduced to 8 bits
  Mats separated_;  ///< from interleaved chroma
  Mats repeated_;
};

}  // namespace facepipe::detector
