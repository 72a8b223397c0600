#include "video/write/upright_picture.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.h"
#include "video/frames/frame_filter.h"
#include "video/frames/pictures.h"

namespace facepipe::video {
namespace {

constexpr const char* kWhat = "JPEG";
constexpr int kQuality = 5;    // of JPEG in FFmpeg, where 2 is the best and 31 the worst
constexpr int kLeastPart = 2;  // JPEG's chroma has half of the picture's size

/// Returns the size with square pixels, reduced until its longest side is `longest`.
Size reduced(const AVFrame& picture, int longest) {
  const AVRational aspect = picture.sample_aspect_ratio;
  double width = picture.width;
  if (aspect.num > 0 && aspect.den > 0) width *= av_q2d(aspect);
  const double scale = std::min(1.0, longest / std::max<double>(width, picture.height));
  const auto side = [&](double pixels) {
    return std::clamp(static_cast<int>(std::lround(pixels * scale)), 1, longest);
  };
  return {side(width), side(picture.height)};
}

/// Returns the picture upright and small, with JPEG's samples.
UniqueAVFrame small_picture(const Frame& frame, int longest) {
  const AVFrame& stored = unwrap(frame);
  const Size size = reduced(stored, longest);
  const std::string chain = "scale=" + std::to_string(size.width) + ":" +
                            std::to_string(size.height) + ":flags=area," +
                            rotation_filters(frame.orientation) + "format=yuvj420p";
  return FrameFilter(kind_of(stored), chain).apply(reference(stored));
}

std::vector<std::byte> jpeg_of(const AVFrame& picture) {
  const AVCodec* const codec = avcodec_find_encoder(AV_CODEC_ID_MJPEG);
  if (codec == nullptr) throw Error(ErrorKind::internal, "FFmpeg has no encoder for JPEG");
  const UniqueCodecContext context = new_codec_context(codec);
  context->width = picture.width;
  context->height = picture.height;
  context->pix_fmt = AV_PIX_FMT_YUVJ420P;
  context->color_range = AVCOL_RANGE_JPEG;
  context->time_base = {1, 25};
  context->thread_count = 1;
  context->flags |= AV_CODEC_FLAG_QSCALE;
  context->global_quality = FF_QP2LAMBDA * kQuality;
  check_av(avcodec_open2(context.get(), codec, nullptr), ErrorKind::internal, kWhat);
  const UniqueAVFrame sent = reference(picture);
  sent->pts = 0;
  sent->pict_type = AV_PICTURE_TYPE_NONE;
  sent->quality = context->global_quality;
  check_av(avcodec_send_frame(context.get(), sent.get()), ErrorKind::internal, kWhat);
  check_av(avcodec_send_frame(context.get(), nullptr), ErrorKind::internal, kWhat);
  const UniqueAVPacket packet = new_av_packet();
  check_av(avcodec_receive_packet(context.get(), packet.get()), ErrorKind::internal, kWhat);
  const auto* const bytes = reinterpret_cast<const std::byte*>(packet->data);
  return {bytes, bytes + packet->size};
}

/// Holds a stretch of one side of the picture.
struct Stretch {
  int from = 0;
  int length = kLeastPart;
};

/// Returns the whole pixels around [from, to] of a frame's side, in a picture that shows this side
/// with `picture` pixels.
Stretch stretch_of(float from, float to, int frame, int picture) {
  const double scale = static_cast<double>(picture) / std::max(1, frame);
  const auto pixel = [&](float edge) {
    return std::clamp(static_cast<double>(edge) * scale, 0.0, static_cast<double>(picture));
  };
  const int least = std::min(kLeastPart, picture);
  const int begin = std::min(static_cast<int>(std::floor(pixel(from))), picture - least);
  const int end = std::max(static_cast<int>(std::ceil(pixel(to))), begin + least);
  return {begin, end - begin};
}

}  // namespace

UprightPicture::UprightPicture(const Frame& frame, int longest_side)
    : picture_(small_picture(frame, longest_side)), frame_(frame.upright()) {}

std::vector<std::byte> UprightPicture::jpeg() const { return jpeg_of(*picture_); }

std::vector<std::byte> UprightPicture::jpeg_of_part(const Box& part, int longest_side) const {
  const Stretch x = stretch_of(part.x1, part.x2, frame_.width, picture_->width);
  const Stretch y = stretch_of(part.y1, part.y2, frame_.height, picture_->height);
  const double scale = static_cast<double>(longest_side) / std::max(x.length, y.length);
  const auto side = [&](int length) {
    return std::to_string(std::max(1L, std::lround(length * scale)));
  };
  const std::string chain = "crop=" + std::to_string(x.length) + ":" + std::to_string(y.length) +
                            ":" + std::to_string(x.from) + ":" + std::to_string(y.from) +
                            ",scale=" + side(x.length) + ":" + side(y.length) +
                            ":flags=bilinear,format=yuvj420p";
  return jpeg_of(*FrameFilter(kind_of(*picture_), chain).apply(reference(*picture_)));
}

}  // namespace facepipe::video
