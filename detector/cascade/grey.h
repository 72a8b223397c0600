// A cascade looks at grey levels: luma in 8 bits of full range. All devices use one table.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "core/frame.h"
#include "detector/cascade/grey_table.h"

namespace facepipe::detector::cascade {

/// Makes upright grey pictures of frames in host memory. Owns scratch memory. One thread uses it at
/// a time.
class GreyMaker {
 public:
  /// Returns the luma. From green, blue and red planes (matrix 0), it makes .299 R + .587 G + .114
  /// B in 14 bits, with OpenCV's weights. The picture is valid until the next call, and only as
  /// long as the frame.
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
