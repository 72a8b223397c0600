#include "detector/cascade/grey.h"

#include <algorithm>
#include <cstddef>

#include "detector/turning.h"

namespace facepipe::detector::cascade {
namespace {

const std::byte* row_of(const Plane& plane, int y) { return plane.data + y * plane.stride; }

}  // namespace

cv::Mat GreyMaker::bytes(const Frame& frame, std::size_t plane) {
  const PixelFormat& format = frame.format;
  const bool full_range =
      frame.color.full_range || frame.color.matrix == ColorInfo::kIdentityMatrix;
  const Plane& from = frame.planes[plane];
  if (format.bits == 8 && full_range && from.stride >= 0)
    return {frame.size.height, frame.size.width, CV_8U, from.data,
            static_cast<std::size_t>(from.stride)};
  if (table_bits_ != format.bits || table_full_range_ != full_range) {
    table_ = grey_table(format.bits, full_range);
    table_bits_ = format.bits;
    table_full_range_ = full_range;
  }
  cv::Mat& to = bytes_[plane];
  to.create(frame.size.height, frame.size.width, CV_8U);
  const std::size_t last = table_.size() - 1;
  for (int y = 0; y < frame.size.height; ++y) {
    auto* const out = to.ptr<std::uint8_t>(y);
    if (format.bits == 8) {
      const auto* const in = reinterpret_cast<const std::uint8_t*>(row_of(from, y));
      for (int x = 0; x < frame.size.width; ++x) out[x] = table_[in[x]];
    } else {
      const auto* const in = reinterpret_cast<const std::uint16_t*>(row_of(from, y));
      for (int x = 0; x < frame.size.width; ++x)
        out[x] = table_[std::min<std::size_t>(in[x] >> format.shift, last)];
    }
  }
  return to;
}

cv::Mat GreyMaker::weighted(const Frame& frame) {
  constexpr int kGreen = 9617;
  constexpr int kBlue = 1868;
  constexpr int kRed = 4899;
  constexpr int kBits = 14;
  const cv::Mat green = bytes(frame, 0);
  const cv::Mat blue = bytes(frame, 1);
  const cv::Mat red = bytes(frame, 2);
  weighted_.create(green.size(), CV_8U);
  for (int y = 0; y < green.rows; ++y) {
    const auto* const g = green.ptr<std::uint8_t>(y);
    const auto* const b = blue.ptr<std::uint8_t>(y);
    const auto* const r = red.ptr<std::uint8_t>(y);
    auto* const out = weighted_.ptr<std::uint8_t>(y);
    for (int x = 0; x < green.cols; ++x)
      out[x] = static_cast<std::uint8_t>(
          (kGreen * g[x] + kBlue * b[x] + kRed * r[x] + (1 << (kBits - 1))) >> kBits);
  }
  return weighted_;
}

cv::Mat GreyMaker::grey(const Frame& frame) {
  const bool is_rgb = frame.color.matrix == ColorInfo::kIdentityMatrix && frame.format.has_chroma;
  const cv::Mat stored = is_rgb ? weighted(frame) : bytes(frame, 0);
  return turned_upright(stored, frame.orientation, flipped_, turned_);
}

}  // namespace facepipe::detector::cascade
