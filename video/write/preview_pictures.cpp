#include "video/write/preview_pictures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "core/error.h"
#include "video/ffmpeg.h"
#include "video/frames/frame_filter.h"
#include "video/frames/pictures.h"
#include "video/notices.h"
#include "video/read/frame_source.h"

namespace facepipe::video {
namespace {

constexpr const char* kWhat = "JPEG";
constexpr int kQuality = 5;  // of JPEG in FFmpeg, where 2 is the best and 31 the worst
constexpr int kThreads = 2;  // more would only decode frames that nobody needs
// If pictures are nearer to each other than this, going on takes less time than searching the next
// key frame.
constexpr double kWorthSeeking_s = 2;

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

/// Goes through the video, from one picture to the next.
class Previews {
 public:
  Previews(const std::string& file, const PreviewOptions& options, const std::stop_token& stop)
      : file_(file), options_(options), stop_(stop), notices_(file) {
    source_ = open(std::nullopt);
    frame_ = source_->next();
  }

  std::vector<PreviewPicture> all() {
    const double duration = source_->duration_s();
    const double step = duration > 0 ? duration / options_.count : 0;
    for (int i = 0; i < options_.count && frame_; ++i) {
      if (i > 0 && !go_to((i + 0.5) * step, step)) break;
      take();
    }
    return std::move(pictures_);
  }

 private:
  [[nodiscard]] std::unique_ptr<FrameSource> open(std::optional<double> near_s) {
    FrameSourceOptions source;
    source.threads = kThreads;
    source.near_s = near_s;
    source.only_what_others_need = true;
    return std::make_unique<FrameSource>(file_, source, notices_, stop_);
  }

  [[nodiscard]] bool may_decode() const { return Clock::now() - begin_ < options_.time; }

  /// Goes to a later frame, at `target_s` or at a key frame before it. Returns false if there is no
  /// later frame, or no more time.
  [[nodiscard]] bool go_to(double target_s, double step_s) {
    if (step_s <= 0 || !may_decode()) return false;
    if (step_s >= kWorthSeeking_s) {
      std::unique_ptr<FrameSource> there = open(target_s);
      std::optional<DecodedFrame> found = there->next();
      if (found && there->seconds(found->frame) > time_s_) {
        source_ = std::move(there);
        frame_ = std::move(found);
        return true;
      }
    }
    while (may_decode()) {
      frame_ = source_->next();
      if (!frame_) return false;
      if (source_->seconds(frame_->frame) >= target_s) return true;
    }
    return false;
  }

  void take() {
    time_s_ = source_->seconds(frame_->frame);
    const UniqueAVFrame picture = small_picture(frame_->frame, options_.longest_side);
    pictures_.push_back({time_s_, {picture->width, picture->height}, jpeg_of(*picture)});
  }

  const std::string& file_;
  const PreviewOptions& options_;
  const std::stop_token& stop_;
  const Clock::time_point begin_ = Clock::now();
  Notices notices_;
  std::unique_ptr<FrameSource> source_;
  std::optional<DecodedFrame> frame_;
  double time_s_ = -std::numeric_limits<double>::infinity();
  std::vector<PreviewPicture> pictures_;
};

}  // namespace

std::vector<PreviewPicture> preview_pictures(const std::string& file, const PreviewOptions& options,
                                             const std::stop_token& stop) {
  return Previews(file, options, stop).all();
}

}  // namespace facepipe::video
