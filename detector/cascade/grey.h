// Makes grey pictures for cascades: luma in 8 bits of full range. All devices use the same table.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "core/frame.h"
#include "detector/cascade/grey_table.h"

namespace facepipe::detector::cascade {

/// Makes upright grey pictures of frames in host memory. Owns scratch memory, so only one thread at
/// a time may use an object.
class GreyMaker {
 public:
  /// Returns the frame's luma. If the frame's planes are green, blue and red (matrix 0), computes
  /// .299 R + .587 G + .114 B with OpenCV's weights of 14 bits. The picture is valid until the next
  /// call, and only while the frame exists.
  [[nodiscard]] cv::Mat grey(const Frame& frame);

 private:
  [[nodiscard]] cv::Mat bytes(const Frame& frame, std::size_t plane);
  [[nodiscard]] cv::Mat weighted(const Frame& frame);

  std::vector<std::uint8_t> table_;
  int table_bits_ = 0;
  bool table_full_range_ = false;
  cv::Mat bytes_[3];
  cv::Mat weighted_;
  cv::Mat turned_;
  cv::Mat flipped_;
};

}  // namespace facepipe::detector::cascade
