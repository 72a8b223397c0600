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

constexpr int kPackedBytes = 3;

std::span<const int, 4> coefficients(int matrix) {
  // swscale numbers its matrices as H.273 does; what it lacks it answers with BT.601.
  return std::span<const int, 4>(sws_getCoefficients(matrix), 4);
}

cv::Size cv_size(Size size) { return {size.width, size.height}; }

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
  const AVPixelFormat target = order_ == ChannelOrder::rgb ? AV_PIX_FMT_RGB24 : AV_PIX_FMT_BGR24;
  // Point sampling without "accurate" flags is what lets swscale take its vector code.
  context_.reset(sws_getContext(size.width, size.height, format, size.width, size.height, target,
                                SWS_POINT, nullptr, nullptr, nullptr));
  if (!context_) throw Error(ErrorKind::internal, "preprocess: swscale refuses the conversion");
  constexpr int kFull = 1;
  constexpr int kUnit = 1 << 16;
  sws_setColorspaceDetails(context_.get(), coefficients(source.matrix).data(), source.full_range,
                           coefficients(SWS_CS_DEFAULT).data(), kFull, 0, kUnit, kUnit);
  // swscale may write up to a register beyond a row.
  constexpr int kSlackPixels = 32;
  packed_buffer_.create(size.height, size.width + kSlackPixels, CV_8UC3);
  source_ = source;
}

void Preprocessor::to_packed(const Frame& frame) {
  const ByteYuv::View yuv = byte_yuv_.view(frame);
  prepare_context({yuv.size, yuv.half_height_chroma, matrix_or_default(frame.color, frame.size),
                   frame.color.full_range});
  std::array<const std::uint8_t*, 4> source{};
  std::array<int, 4> source_stride{};
  for (std::size_t i = 0; i < yuv.planes.size(); ++i) {
    source[i] = reinterpret_cast<const std::uint8_t*>(yuv.planes[i].data);
    source_stride[i] = static_cast<int>(yuv.planes[i].stride);
  }
  const std::array<std::uint8_t*, 4> target{packed_buffer_.data};
  const std::array<int, 4> target_stride{static_cast<int>(packed_buffer_.step)};
  sws_scale(context_.get(), source.data(), source_stride.data(), 0, yuv.size.height, target.data(),
            target_stride.data());
  packed_ = packed_buffer_(cv::Rect({0, 0}, cv_size(frame.size)));
}

const cv::Mat& Preprocessor::scaled(Orientation orientation) {
  const Size content = upright_size(fit_.content, orientation);  // its own inverse
  if (cv_size(content) == packed_.size()) return packed_;
  const bool smaller = content.width < packed_.cols;
  cv::resize(packed_, scaled_, cv_size(content), 0, 0, smaller ? cv::INTER_AREA : cv::INTER_LINEAR);
  return scaled_;
}

const cv::Mat& Preprocessor::upright(const cv::Mat& stored, Orientation orientation) {
  const cv::Mat* picture = &stored;
  if (orientation.mirrored) {
    constexpr int kLeftToRight = 1;
    cv::flip(*picture, mirrored_, kLeftToRight);
    picture = &mirrored_;
  }
  if (orientation.quarter_turns == 0) return *picture;
  constexpr std::array kTurns{cv::ROTATE_90_CLOCKWISE, cv::ROTATE_180,
                              cv::ROTATE_90_COUNTERCLOCKWISE};
  cv::rotate(*picture, turned_, kTurns[static_cast<std::size_t>(orientation.quarter_turns - 1)]);
  return turned_;
}

void Preprocessor::convert(const Frame& frame, std::span<std::uint8_t> planes) {
  check(frame);
  to_packed(frame);
  const cv::Mat& picture = upright(scaled(frame.orientation), frame.orientation);
  const auto stride = static_cast<std::size_t>(fit_.network.width);
  const std::size_t plane_bytes = stride * static_cast<std::size_t>(fit_.network.height);
  std::array<cv::Mat, kPackedBytes> channels;
  for (std::size_t i = 0; i < channels.size(); ++i)
    channels[i] = cv::Mat(picture.size(), CV_8U, planes.subspan(i * plane_bytes).data(), stride);
  cv::split(picture, channels.data());
}

}  // namespace facepipe
