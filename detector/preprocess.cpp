#include "detector/preprocess.h"

#include <opencv2/imgproc.hpp>
#include <string>
#include <tuple>

extern "C" {
#include <libavutil/pixfmt.h>
#include <libswscale/swscale.h>
}

#include "core/error.h"

namespace facepipe {
namespace {

constexpr int kPackedBytes = 3;

/// The 8-bit format with these planes; AV_PIX_FMT_NONE if there is none.
AVPixelFormat byte_format(const PixelFormat& format) {
  if (!format.has_chroma) return AV_PIX_FMT_GRAY8;
  struct Row {
    bool semi_planar;
    int log2_chroma_w;
    int log2_chroma_h;
    AVPixelFormat format;
  };
  constexpr std::array kRows{
      Row{false, 0, 0, AV_PIX_FMT_YUV444P}, Row{false, 0, 1, AV_PIX_FMT_YUV440P},
      Row{false, 1, 0, AV_PIX_FMT_YUV422P}, Row{false, 1, 1, AV_PIX_FMT_YUV420P},
      Row{false, 2, 0, AV_PIX_FMT_YUV411P}, Row{false, 2, 2, AV_PIX_FMT_YUV410P},
      Row{true, 1, 1, AV_PIX_FMT_NV12},     Row{true, 1, 0, AV_PIX_FMT_NV16},
      Row{true, 0, 0, AV_PIX_FMT_NV24},
  };
  for (const Row& row : kRows)
    if (std::tie(row.semi_planar, row.log2_chroma_w, row.log2_chroma_h) ==
        std::tie(format.semi_planar, format.log2_chroma_w, format.log2_chroma_h))
      return row.format;
  return AV_PIX_FMT_NONE;
}

int plane_count(const PixelFormat& format) {
  if (!format.has_chroma) return 1;
  return format.semi_planar ? 2 : 3;
}

/// Extent of a plane in samples; interleaved chroma counts both.
Size plane_size(const Frame& frame, int plane) {
  if (plane == 0) return frame.size;
  const Size chroma = frame.chroma_size();
  return {frame.format.semi_planar ? 2 * chroma.width : chroma.width, chroma.height};
}

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
  if (byte_format(frame.format) == AV_PIX_FMT_NONE)
    throw Error(ErrorKind::internal, "preprocess: pixel format without a conversion");
}

void Preprocessor::prepare_context(const Source& source) {
  if (source_ == source) return;
  const Size size = source.size;
  const AVPixelFormat target = order_ == ChannelOrder::rgb ? AV_PIX_FMT_RGB24 : AV_PIX_FMT_BGR24;
  // Point sampling without "accurate" flags is what lets swscale take its vector code.
  context_.reset(sws_getContext(size.width, size.height, static_cast<AVPixelFormat>(source.format),
                                size.width, size.height, target, SWS_POINT, nullptr, nullptr,
                                nullptr));
  if (!context_) throw Error(ErrorKind::internal, "preprocess: swscale refuses the conversion");
  constexpr int kFull = 1;
  constexpr int kUnit = 1 << 16;
  sws_setColorspaceDetails(context_.get(), coefficients(source.matrix).data(), source.full_range,
                           coefficients(SWS_CS_DEFAULT).data(), kFull, 0, kUnit, kUnit);
  // swscale may write up to a register beyond a row.
  constexpr int kSlackPixels = 32;
  packed_buffer_.create(size.height, size.width + kSlackPixels, CV_8UC3);
  packed_ = packed_buffer_.colRange(0, size.width);
  source_ = source;
}

std::array<Plane, 3> Preprocessor::byte_planes(const Frame& frame) {
  std::array<Plane, 3> planes{frame.planes[0], frame.planes[1], frame.planes[2]};
  if (frame.format.bits == 8) return planes;
  // A word holds sample << shift; 8 of its bits are kept, rounded.
  const double scale = 1.0 / static_cast<double>(1 << (frame.format.bits + frame.format.shift - 8));
  for (int i = 0; i < plane_count(frame.format); ++i) {
    const auto index = static_cast<std::size_t>(i);
    const Size size = plane_size(frame, i);
    const cv::Mat words(cv_size(size), CV_16U, planes[index].data,
                        static_cast<std::size_t>(planes[index].stride));
    words.convertTo(bytes_[index], CV_8U, scale);
    planes[index] = {reinterpret_cast<std::byte*>(bytes_[index].data),
                     static_cast<std::ptrdiff_t>(bytes_[index].step)};
  }
  return planes;
}

void Preprocessor::to_packed(const Frame& frame) {
  prepare_context({frame.size, byte_format(frame.format),
                   matrix_or_default(frame.color, frame.size), frame.color.full_range});
  const std::array<Plane, 3> planes = byte_planes(frame);
  std::array<const std::uint8_t*, 4> source{};
  std::array<int, 4> source_stride{};
  for (std::size_t i = 0; i < planes.size(); ++i) {
    source[i] = reinterpret_cast<const std::uint8_t*>(planes[i].data);
    source_stride[i] = static_cast<int>(planes[i].stride);
  }
  const std::array<std::uint8_t*, 4> target{packed_.data};
  const std::array<int, 4> target_stride{static_cast<int>(packed_.step)};
  sws_scale(context_.get(), source.data(), source_stride.data(), 0, frame.size.height,
            target.data(), target_stride.data());
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
