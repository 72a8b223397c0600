#include "detector/cnn/cpu/preprocess.h"

#include <opencv2/imgproc.hpp>
#include <string>

#include "core/color.h"
#include "core/error.h"
#include "detector/turning.h"

namespace facepipe::detector {
namespace {

/// Returns the number of bytes of a packed pixel. It is 3 if the picture is already upright.
/// Otherwise it is 4, with an unused byte, because OpenCV turns and mirrors words of 4 bytes
/// several times faster.
int packed_channels(Orientation orientation) { return orientation.upright() ? 3 : 4; }

cv::Size cv_size(Size size) { return {size.width, size.height}; }

/// Returns a picture in `buffer` whose rows have room after their end, because spread() reads up to
/// the network's width.
cv::Mat with_room(cv::Mat& buffer, cv::Size size, int type) {
  constexpr int kRoom = 32;
  buffer.create(size.height, size.width + kRoom, type);
  return buffer.colRange(0, size.width);
}

}  // namespace

Preprocessor::Preprocessor(const NetworkFit& fit, ChannelOrder order, std::uint8_t pad)
    : fit_(fit), order_(order), pad_(pad) {}

void Preprocessor::check(const Frame& frame) const {
  if (frame.device.kind != DeviceKind::cpu)
    throw Error(ErrorKind::internal, "preprocess: frame on " + to_string(frame.device));
  if (frame.upright() != fit_.frame)
    throw Error(ErrorKind::internal,
                "preprocess: frame of another size than the detector was made for");
}

void Preprocessor::to_packed(const Frame& frame) {
  const ByteYuv::View yuv = byte_yuv_.view(frame);
  float to_rgb[3][4];
  fill_to_rgb(to_rgb, frame.color, PixelFormat{}, frame.size);
  const int channels = packed_channels(frame.orientation);
  packed_ = with_room(packed_buffer_, cv_size(frame.size), CV_8UC(channels));
  const auto stride = static_cast<std::ptrdiff_t>(packed_.step);
  const bool upwards = turning_steps(frame.orientation).flip_rows;
  const std::ptrdiff_t first_row = upwards ? frame.size.height - 1 : 0;
  rgb_.convert(yuv, to_rgb, order_, channels, packed_.data + first_row * stride,
               upwards ? -stride : stride);
}

void Preprocessor::merge_gbr(const Frame& frame) {
  constexpr std::size_t kGreen = 0;
  constexpr std::size_t kBlue = 1;
  constexpr std::size_t kRed = 2;
  const bool rgb = order_ == ChannelOrder::rgb;
  const std::array<cv::Mat, 4> channels{
      byte_yuv_.to_bytes(frame, rgb ? kRed : kBlue, 1), byte_yuv_.to_bytes(frame, kGreen, 1),
      byte_yuv_.to_bytes(frame, rgb ? kBlue : kRed, 1), byte_yuv_.to_bytes(frame, kGreen, 1)};
  const int count = packed_channels(frame.orientation);
  packed_ = with_room(packed_buffer_, cv_size(frame.size), CV_8UC(count));
  cv::merge(channels.data(), static_cast<std::size_t>(count), packed_);
  constexpr int kTopToBottom = 0;
  if (turning_steps(frame.orientation).flip_rows) cv::flip(packed_, packed_, kTopToBottom);
}

cv::Mat Preprocessor::scaled(Orientation orientation) {
  // upright_size() is its own inverse
  const Size content = upright_size(fit_.content, orientation);
  if (cv_size(content) == packed_.size()) return packed_;
  cv::Mat result = with_room(scaled_buffer_, cv_size(content), packed_.type());
  // For sizes down to one half, bilinear weights use every pixel and are much faster.
  const bool small = 2 * content.width <= packed_.cols;
  cv::resize(packed_, result, result.size(), 0, 0, small ? cv::INTER_AREA : cv::INTER_LINEAR);
  return result;
}

cv::Mat Preprocessor::upright(cv::Mat picture, Orientation orientation) {
  const TurningSteps steps = turning_steps(orientation);
  if (steps.flip_columns) {
    constexpr int kLeftToRight = 1;
    const cv::Mat result = with_room(flipped_buffer_, picture.size(), picture.type());
    cv::flip(picture, result, kLeftToRight);
    picture = result;
  }
  if (steps.transpose) {
    const cv::Size size{picture.rows, picture.cols};
    const cv::Mat result = with_room(transposed_buffer_, size, picture.type());
    cv::transpose(picture, result);
    picture = result;
  }
  return picture;
}

void Preprocessor::spread(cv::Mat picture, std::span<std::uint8_t> planes) {
  // The rows are extended to the network's width. If they didn't end at whole vector registers,
  // OpenCV's split would take seven times as long. The added columns get the level of the padding.
  const int width = fit_.network.width;
  const int content_width = picture.cols;
  picture.adjustROI(0, 0, 0, width - content_width);
  picture.colRange(content_width, width).setTo(cv::Scalar::all(pad_));
  const auto stride = static_cast<std::size_t>(width);
  const std::size_t plane_bytes = stride * static_cast<std::size_t>(fit_.network.height);
  std::array<cv::Mat, 4> channels;
  for (std::size_t i = 0; i < 3; ++i)
    channels[i] = cv::Mat(picture.size(), CV_8U, planes.subspan(i * plane_bytes).data(), stride);
  channels[3] = unused_;
  cv::split(picture, channels.data());
  unused_ = channels[3];
}

void Preprocessor::convert(const Frame& frame, std::span<std::uint8_t> planes) {
  check(frame);
  if (frame.color.matrix == ColorInfo::kIdentityMatrix)
    merge_gbr(frame);
  else
    to_packed(frame);
  spread(upright(scaled(frame.orientation), frame.orientation), planes);
}

}  // namespace facepipe::detector
