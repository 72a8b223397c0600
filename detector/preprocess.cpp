#include "detector/preprocess.h"

#include <opencv2/imgproc.hpp>
#include <string>

extern "C" {
#include <libavutil/pixfmt.h>
#include <libswscale/swscale.h>
}

#include "core/error.h"

namespace facepipe {
namespace {

/// Packed pixels of an upright picture have 3 bytes. Others have a fourth, unused one: OpenCV turns
/// and mirrors words of 4 bytes several times faster.
int packed_channels(Orientation orientation) { return orientation.upright() ? 3 : 4; }

AVPixelFormat packed_format(ChannelOrder order, int channels) {
  if (order == ChannelOrder::rgb) return channels == 3 ? AV_PIX_FMT_RGB24 : AV_PIX_FMT_RGB0;
  return channels == 3 ? AV_PIX_FMT_BGR24 : AV_PIX_FMT_BGR0;
}

std::span<const int, 4> coefficients(int matrix) {
  // swscale numbers its matrices as H.273 does; what it lacks it answers with BT.601.
  return std::span<const int, 4>(sws_getCoefficients(matrix), 4);
}

cv::Size cv_size(Size size) { return {size.width, size.height}; }

/// A picture in `buffer` whose rows go on beyond its width: swscale writes up to a register too
/// far, and `spread` reads on to the network's width.
cv::Mat with_room(cv::Mat& buffer, cv::Size size, int type) {
  constexpr int kRoom = 32;
  buffer.create(size.height, size.width + kRoom, type);
  return buffer.colRange(0, size.width);
}

/// An orientation as three steps in this order; none of them costs more than one pass, and the
/// first costs nothing because swscale can write rows upwards.
struct Steps {
  bool flip_rows;
  bool flip_columns;
  bool transpose;
};

Steps steps_of(Orientation orientation) {
  const int turns = orientation.quarter_turns;
  return {turns == 1 || turns == 2, orientation.mirrored != (turns >= 2), turns % 2 == 1};
}

}  // namespace

void Preprocessor::FreeContext::operator()(SwsContext* context) const noexcept {
  sws_freeContext(context);
}

Preprocessor::Preprocessor(const NetworkFit& fit, ChannelOrder order) : fit_(fit), order_(order) {}

void Preprocessor::check(const Frame& frame) const {
  if (frame.device.kind != DeviceKind::cpu)
    throw Error(ErrorKind::internal, "preprocess: frame on " + to_string(frame.device));
  if (frame.upright() != fit_.frame)
    throw Error(ErrorKind::internal,
                "preprocess: frame of another size than the detector was made for");
}

void Preprocessor::prepare_context(const Source& source) {
  if (source_ == source) return;
  const Size size = source.size;
  const AVPixelFormat format = source.half_height_chroma ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_YUV422P;
  const AVPixelFormat target = packed_format(order_, source.channels);
  // Point sampling without "accurate" flags is what lets swscale take its vector code.
  context_.reset(sws_getContext(size.width, size.height, format, size.width, size.height, target,
                                SWS_POINT, nullptr, nullptr, nullptr));
  if (!context_) throw Error(ErrorKind::internal, "preprocess: swscale refuses the conversion");
  constexpr int kFull = 1;
  constexpr int kUnit = 1 << 16;
  sws_setColorspaceDetails(context_.get(), coefficients(source.matrix).data(), source.full_range,
                           coefficients(SWS_CS_DEFAULT).data(), kFull, 0, kUnit, kUnit);
  (void)with_room(packed_buffer_, cv_size(size), CV_8UC(source.channels));
  source_ = source;
}

void Preprocessor::to_packed(const Frame& frame) {
  const ByteYuv::View yuv = byte_yuv_.view(frame);
  prepare_context({yuv.size, yuv.half_height_chroma, matrix_or_default(frame.color, frame.size),
                   frame.color.full_range, packed_channels(frame.orientation)});
  std::array<const std::uint8_t*, 4> source{};
  std::array<int, 4> source_stride{};
  for (std::size_t i = 0; i < yuv.planes.size(); ++i) {
    source[i] = reinterpret_cast<const std::uint8_t*>(yuv.planes[i].data);
    source_stride[i] = static_cast<int>(yuv.planes[i].stride);
  }
  const auto stride = static_cast<std::ptrdiff_t>(packed_buffer_.step);
  const bool upwards = steps_of(frame.orientation).flip_rows;
  const std::ptrdiff_t first_row = upwards ? yuv.size.height - 1 : 0;
  const std::array<std::uint8_t*, 4> target{packed_buffer_.data + first_row * stride};
  const std::array<int, 4> target_stride{static_cast<int>(upwards ? -stride : stride)};
  sws_scale(context_.get(), source.data(), source_stride.data(), 0, yuv.size.height, target.data(),
            target_stride.data());
  // A row that was added to make the height even came last.
  const int top = upwards ? yuv.size.height - frame.size.height : 0;
  packed_ = packed_buffer_(cv::Rect({0, top}, cv_size(frame.size)));
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
  source_.reset();  // the buffer may get another type than swscale's context has
  packed_ = with_room(packed_buffer_, cv_size(frame.size), CV_8UC(count));
  cv::merge(channels.data(), static_cast<std::size_t>(count), packed_);
  constexpr int kTopToBottom = 0;
  if (steps_of(frame.orientation).flip_rows) cv::flip(packed_, packed_, kTopToBottom);
}

cv::Mat Preprocessor::scaled(Orientation orientation) {
  const Size content = upright_size(fit_.content, orientation);  // its own inverse
  if (cv_size(content) == packed_.size()) return packed_;
  cv::Mat result = with_room(scaled_buffer_, cv_size(content), packed_.type());
  // Bilinear weights see every pixel down to half the size, and are much faster.
  const bool small = 2 * content.width <= packed_.cols;
  cv::resize(packed_, result, result.size(), 0, 0, small ? cv::INTER_AREA : cv::INTER_LINEAR);
  return result;
}

cv::Mat Preprocessor::upright(cv::Mat picture, Orientation orientation) {
  const Steps steps = steps_of(orientation);
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
  // Rows of whole vector registers, or OpenCV's split takes seven times as long; the columns to the
  // right of the picture are black anyway.
  const int width = fit_.network.width;
  const int content_width = picture.cols;
  picture.adjustROI(0, 0, 0, width - content_width);
  picture.colRange(content_width, width).setTo(0);
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

}  // namespace facepipe
