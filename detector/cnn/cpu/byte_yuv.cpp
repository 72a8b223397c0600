#include "detector/cnn/cpu/byte_yuv.h"

#include <opencv2/imgproc.hpp>

namespace facepipe::detector {
namespace {

constexpr std::size_t kLuma = 0;
constexpr std::array<std::size_t, 2> kChroma{1, 2};
constexpr int kNeutral = 128;

/// Returns a cv::Mat that refers to a frame's plane. Callers must not write to it; OpenCV has no
/// type for constant memory.
cv::Mat mat_of(const Frame& frame, std::size_t plane, int type) {
  const Size size = plane == kLuma ? frame.size : frame.chroma_size();
  return {size.height, size.width, type, frame.planes[plane].data,
          static_cast<std::size_t>(frame.planes[plane].stride)};
}

Plane plane_of(const cv::Mat& mat) {
  return {reinterpret_cast<std::byte*>(mat.data), static_cast<std::ptrdiff_t>(mat.step)};
}

}  // namespace

cv::Mat ByteYuv::to_bytes(const Frame& frame, std::size_t plane, int channels) {
  const PixelFormat& format = frame.format;
  if (format.bytes_per_sample() == 1) return mat_of(frame, plane, CV_8UC(channels));
  // A word holds sample << shift.
  const double scale = 1.0 / static_cast<double>(1 << (format.bits + format.shift - 8));
  mat_of(frame, plane, CV_16UC(channels)).convertTo(bytes_[plane], CV_8U, scale);
  return bytes_[plane];
}

ByteYuv::Mats ByteYuv::separate(const Frame& frame) {
  Mats planes{to_bytes(frame, kLuma, 1), {}, {}};
  if (frame.format.has_chroma && !frame.format.semi_planar) {
    for (const std::size_t i : kChroma) planes[i] = to_bytes(frame, i, 1);
    return planes;
  }
  if (frame.format.has_chroma) {
    cv::split(to_bytes(frame, 1, 2), &separated_[1]);
  } else {
    const Size size = frame.chroma_size();
    for (const std::size_t i : kChroma) {
      separated_[i].create(size.height, size.width, CV_8U);
      separated_[i].setTo(kNeutral);
    }
  }
  for (const std::size_t i : kChroma) planes[i] = separated_[i];
  return planes;
}

void ByteYuv::repeat(cv::Mat& plane, std::size_t index, int columns, int rows) {
  if (columns == 1 && rows == 1) return;
  cv::resize(plane, repeated_[index], {plane.cols * columns, plane.rows * rows}, 0, 0,
             cv::INTER_NEAREST);
  plane = repeated_[index];
}

ByteYuv::View ByteYuv::view(const Frame& frame) {
  const PixelFormat& format = frame.format;
  const int half_width = format.log2_chroma_w > 0 ? 1 : 0;
  const int half_height = format.log2_chroma_h > 0 ? 1 : 0;
  const int columns = 1 << (format.log2_chroma_w - half_width);
  const int rows = 1 << (format.log2_chroma_h - half_height);
  Mats planes = separate(frame);
  for (const std::size_t i : kChroma) repeat(planes[i], i, columns, rows);
  return {{plane_of(planes[0]), plane_of(planes[1]), plane_of(planes[2])},
          frame.size,
          half_width == 1,
          half_height == 1};
}

}  // namespace facepipe::detector
