// The grey levels that a cascade looks at: luma, in 8 bits of full range. One table for all
// devices.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "core/frame.h"
#include "detector/cascade/grey_table.h"

namespace facepipe::detector::cascade {

/// Makes upright grey pictures of frames in host memory. Owns scratch memory; used by one thread at
/// a time.
class GreyMaker {
 public:
  /// Of luma; of green, blue and red (matrix 0) as OpenCV weighs them, .299 R + .587 G + .114 B in
  /// 14 bits. Valid until the next call, and as long as the frame.
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
