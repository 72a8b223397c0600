extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/pixdesc.h>
}

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include "core/cuda/check.h"
#include "core/cuda/devices.h"
#include "core/cuda/stream.h"
#include "video/cuda/decode_status.h"
#include "video/cuda/decoder.h"
#include "video/cuda/hardware_device.h"
#include "video/cuda/kept_decoders.h"
#include "video/cuda/picture_fit.h"
#include "video/cuda/pictures.h"
#include "video/cuda/pool.h"
#include "video/cuda/transfer.h"
#include "video/ffmpeg_compat.h"
#include "video/frames/frame_filter.h"
#include "video/frames/normalizer.h"
#include "video/frames/pictures.h"
#include "video/read/stored_orientation.h"

namespace facepipe::video {
namespace {

/// Applies the part of a hardware picture's cropping that av_frame_apply_cropping() leaves undone.
void crop_top_left(AVFrame& picture, AVPixelFormat layout) {
  const auto left = static_cast<std::ptrdiff_t>(picture.crop_left);
  const auto top = static_cast<std::ptrdiff_t>(picture.crop_top);
  const std::ptrdiff_t bytes = bits_of(layout) > 8 ? 2 : 1;
  picture.data[0] += top * picture.linesize[0] + left * bytes;
  picture.data[1] += top / 2 * picture.linesize[1] + left / 2 * 2 * bytes;
  picture.width -= static_cast<int>(left);
  picture.height -= static_cast<int>(top);
  picture.crop_left = 0;
  picture.crop_top = 0;
}

/// Corrects the address of chroma in pictures of odd height, which JPEG and VP9 can have. NVDEC
/// makes a surface's height even. FFmpeg (at least 5.1) expects chroma directly after the picture's
/// rows, which is one row too early.
void find_chroma(AVFrame& picture) {
  const bool odd = picture.height % 2 == 1;
  if (odd &&
      picture.data[1] - picture.data[0] == std::ptrdiff_t{picture.height} * picture.linesize[0])
    picture.data[1] += picture.linesize[0];
}

/// Returns the format that FFmpeg's decoders on the CPU use for samples of this layout, because
/// messages to users name that format. The returned format doesn't say the range. Therefore a
/// change of the range is not a change of format, as on the CPU.
AVPixelFormat format_on_cpu(AVPixelFormat layout) {
  if (bits_of(layout) > 10) return AV_PIX_FMT_YUV420P12;
  return bits_of(layout) > 8 ? AV_PIX_FMT_YUV420P10 : AV_PIX_FMT_YUV420P;
}

/// Returns the format of a surface's samples. Throws Error(device) for a picture that isn't a
/// surface.
AVPixelFormat layout_of(const AVFrame& picture, const std::string& url) {
  if (picture.format != AV_PIX_FMT_CUDA || picture.hw_frames_ctx == nullptr)
    throw Error(ErrorKind::device, url + ": NVDEC's decoder returned a picture in host memory");
  return reinterpret_cast<const AVHWFramesContext*>(picture.hw_frames_ctx->data)->sw_format;
}

/// Returns whether FFmpeg's CPU decoder of this codec flags pictures in which it concealed damage.
/// The list contains only codecs that NVDEC decodes.
bool flags_damage_on_cpu(AVCodecID codec) {
  constexpr std::array kCodecs{AV_CODEC_ID_H264, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO,
                               AV_CODEC_ID_MPEG4, AV_CODEC_ID_VC1};
  return std::ranges::find(kCodecs, codec) != kCodecs.end();
}

/// Holds the objects that a decoder's frames need. The frames keep them alive after the decoder's
/// end.
struct Nvdec {
  Device device;
  std::shared_ptr<cuda::Stream> stream;  ///< for FFmpeg's work, and for later work on its surfaces
  std::size_t frames_alive = 0;
};

/// Holds the facts of the stream's first picture, which all frames share.
struct SurfaceKind {
  Size size;
  AVPixelFormat layout = AV_PIX_FMT_NONE;
  bool full_range = false;
  Rational pixel{1, 1};
};

class SurfaceFrames final : public FrameMaker {
 public:
  SurfaceFrames(const Demuxer& demuxer, const FrameTarget& target, const SurfaceKind& first,
                Nvdec nvdec, bool scale_on_change, Notices& notices)
      : FrameMaker(demuxer.video(), target),
        first_(first),
        url_(demuxer.url()),
        nvdec_(std::move(nvdec)),
        events_(nvdec_.frames_alive, [] { return std::make_unique<cuda::Event>(); }),
        changes_({first.size, format_on_cpu(first.layout)}, scale_on_change, demuxer.url(),
                 notices) {}

  [[nodiscard]] Frame frame_of(UniqueAVFrame picture) override {
    cuda::use_device(nvdec_.device);
    const AVPixelFormat layout = layout_of(*picture, url_);
    find_chroma(*picture);
    crop_top_left(*picture, layout);
    const bool changed =
        changes_.is_changed({{picture->width, picture->height}, format_on_cpu(layout)});
    Frame frame = wrap(std::move(picture), layout, nvdec_.device);
    if (changed) return fitted(std::move(frame));
    std::shared_ptr<cuda::Event> ready = events_.lease();
    ready->record(*nvdec_.stream);
    attach_ready(frame, std::move(ready));
    return frame;
  }

 private:
  [[nodiscard]] Frame fitted(Frame frame) {
    if (!fit_)
      fit_.emplace(PictureShape{first_.size, first_.pixel}, bits_of(first_.layout),
                   first_.full_range, nvdec_.frames_alive, nvdec_.device);
    return fit_->apply(std::move(frame), *nvdec_.stream);
  }

  const SurfaceKind first_;
  std::string url_;
  Nvdec nvdec_;
  Pool<cuda::Event> events_;
  ChangeWatch changes_;
  // Converts pictures to the first picture's kind; empty until a picture of another kind comes.
  std::optional<PictureFit> fit_;
};

/// Says how frames come to host memory: who counts the copies, and how many frames may exist at
/// once.
struct ToHost {
  CopyCounter* copies = nullptr;  ///< nullptr if frames stay in device memory
  std::size_t frames_alive = 0;
};

class DownloadedFrames final : public FrameMaker {
 public:
  DownloadedFrames(const Demuxer& demuxer, const FrameTarget& target, const SurfaceKind& first,
                   std::unique_ptr<SurfaceFrames> surfaces, const ToHost& to_host)
      : FrameMaker(demuxer.video(), target),
        surfaces_(std::move(surfaces)),
        download_(first.size, bits_of(first.layout), to_host.frames_alive, *to_host.copies) {}

 private:
  [[nodiscard]] Frame frame_of(UniqueAVFrame picture) override {
    return download_.start(surfaces_->frame_of(std::move(picture)), stream_).wait();
  }

  std::unique_ptr<SurfaceFrames> surfaces_;
  cuda::Stream stream_;
  PictureDownload download_;
};

class NvdecDecoder final : public Decoder {
 public:
  NvdecDecoder(const Demuxer& demuxer, const DecoderOptions& options, Device device,
               Notices& notices, std::shared_ptr<KeptDecoders> kept, ToHost to_host)
      : Decoder(demuxer, options, notices),
        codec_(hardware_codec(demuxer.video().codecpar->codec_id)),
        nvdec_{device, nullptr, static_cast<std::size_t>(options.frames_alive)},
        to_host_(to_host),
        kept_(std::move(kept)) {
    cuda::use_device(device);
    refuse(reason_against_stream(codec_));
    if (!refusal().empty()) return;
    if (kept_) end_by_key_pictures();
    if (!take_kept()) NvdecDecoder::open_codec();
  }

  ~NvdecDecoder() override { give_back(); }
  NvdecDecoder(const NvdecDecoder&) = delete;
  NvdecDecoder& operator=(const NvdecDecoder&) = delete;

  [[nodiscard]] bool may_refuse() const override { return true; }
  [[nodiscard]] std::string name() const override { return Decoder::name() + "_nvdec"; }

  [[nodiscard]] PictureFacts facts_of(const AVFrame& picture) const override {
    PictureFacts facts = Decoder::facts_of(picture);
    facts.size.width -= static_cast<int>(picture.crop_left);
    facts.size.height -= static_cast<int>(picture.crop_top);
    facts.format = layout_of(picture, demuxer().url());
    return facts;
  }

  [[nodiscard]] std::unique_ptr<FrameMaker> make_frames(const AVFrame& first,
                                                        const FrameTarget& target) override {
    if (!target.rotate.upright())
      throw Error(ErrorKind::output,
                  demuxer().url() +
                      ": the output can't store that pictures are turned, and NVDEC can't turn "
                      "them; write MP4 or use --decoder cpu");
    cuda::use_device(nvdec_.device);
    const PictureFacts facts = facts_of(first);
    const SurfaceKind kind{facts.size, facts.format, first.color_range == AVCOL_RANGE_JPEG,
                           kind_of(first).pixel};
    auto surfaces = std::make_unique<SurfaceFrames>(demuxer(), target, kind, nvdec_,
                                                    options().scale_on_change, notices());
    if (to_host_.copies == nullptr) return surfaces;
    return std::make_unique<DownloadedFrames>(demuxer(), target, kind, std::move(surfaces),
                                              to_host_);
  }

 private:
  /// Returns why NVDEC can't take the stream, as far as that is known before the first packet.
  [[nodiscard]] std::string reason_against_stream(const AVCodec* codec) const {
    const AVCodecID id = demuxer().video().codecpar->codec_id;
    if (codec == nullptr)
      return std::string("FFmpeg has no NVDEC decoder for ") + avcodec_get_name(id);
    // Only the picture itself says whether a JPEG is turned.
    const bool turned = is_turned(demuxer()) || id == AV_CODEC_ID_MJPEG;
    if (turned && !options().tags_rotation)
      return "the output can't store that pictures are turned, and NVDEC can't turn them";
    if (options().must_tell_damage && flags_damage_on_cpu(id) && !has_decode_status(id))
      return std::string("NVDEC and this FFmpeg don't tell which pictures of ") +
             avcodec_get_name(id) + " are damaged";
    return {};
  }

  [[nodiscard]] DecoderKind kind() const {
    const AVCodecParameters& video = *demuxer().video().codecpar;
    return {video.codec_id,
            {video.width, video.height},
            video.format,
            video.video_delay,
            {video.color_range, video.color_primaries, video.color_trc, video.color_space,
             video.chroma_location, video.field_order, video.sample_aspect_ratio.num,
             video.sample_aspect_ratio.den},
            {video.extradata, video.extradata + video.extradata_size},
            options().frames_alive};
  }

  bool take_kept() {
    std::optional<IdleDecoder> idle = kept_ ? kept_->take(kind()) : std::nullopt;
    if (!idle) return false;
    idle->context->opaque = this;
    hardware_ = std::move(idle->hardware);
    nvdec_.stream = std::move(idle->stream);
    go_on_with(std::move(idle->context));
    return true;
  }

  void give_back() noexcept {
    UniqueCodecContext context = take_idle();
    if (!context || !kept_) return;
    try {
      cuda::use_device(nvdec_.device);
      kept_->give_back(kind(), {std::move(context), std::move(hardware_), nvdec_.stream});
    } catch (const std::exception& failure) {
      spdlog::debug("a decoder isn't kept: {}", failure.what());
    }
  }

  /// Opens the codec. It reuses the CUDA stream of an earlier call, because the frame maker holds
  /// it.
  void open_codec() override {
    cuda::use_device(nvdec_.device);
    if (!hardware_) {
      nvdec_.stream = std::make_shared<cuda::Stream>();
      hardware_ = open_hardware_device(nvdec_.device, nvdec_.stream);
    }
    // There is only one thread, because the chip decodes. More threads would only occupy surfaces.
    open(*codec_, 1, [this](AVCodecContext& decoder) {
      decoder.hw_device_ctx = allocated(av_buffer_ref(hardware_.get()));
      decoder.opaque = this;
      decoder.get_format = choose_format;
      compat::keep_decoder_surfaces(decoder);
    });
  }

  // FFmpeg calls this before the first picture and at each change of the stream's parameters. If
  // NVDEC refuses the stream, FFmpeg calls it again without offering NVDEC.
  static AVPixelFormat choose_format(AVCodecContext* decoder, const AVPixelFormat* offered) {
    auto& self = *static_cast<NvdecDecoder*>(decoder->opaque);
    std::string reason = self.reason_against(*decoder, offered);
    const bool taken = reason.empty();
    self.refuse(std::move(reason));
    return taken ? AV_PIX_FMT_CUDA : AV_PIX_FMT_NONE;
  }

  [[nodiscard]] std::string reason_against(AVCodecContext& decoder,
                                           const AVPixelFormat* offered) const {
    while (*offered != AV_PIX_FMT_NONE && *offered != AV_PIX_FMT_CUDA) ++offered;
    const std::string stream =
        std::string(avcodec_get_name(decoder.codec_id)) + ", " +
        to_string(Size{decoder.coded_width, decoder.coded_height}) + ", " +
        (decoder.sw_pix_fmt == AV_PIX_FMT_NONE ? "unknown format"
                                               : av_get_pix_fmt_name(decoder.sw_pix_fmt));
    if (*offered == AV_PIX_FMT_NONE) return "NVDEC doesn't take the stream (" + stream + ")";
    const std::string reason = reason_against_hardware(decoder, *hardware_, options().frames_alive);
    return reason.empty() ? "" : "NVDEC can't be used for the stream (" + stream + "): " + reason;
  }

  // Asks the chip, because NVDEC conceals damage in pictures, and FFmpeg doesn't notice it.
  [[nodiscard]] bool is_damaged(const AVFrame& picture) override {
    if (Decoder::is_damaged(picture)) return true;
    if (!has_decode_status(demuxer().video().codecpar->codec_id)) return false;
    cuda::use_device(nvdec_.device);
    if (!status_) status_.emplace();
    DecodeStatus status = status_->of(picture);
    if (status == DecodeStatus::decoding) {
      nvdec_.stream->synchronize();
      status = status_->of(picture);
    }
    return status == DecodeStatus::damaged;
  }

  // Distinguishes damaged packets from a broken device, because they need different errors.
  void check_decoded(int code) override {
    if (!refusal().empty() && has_decoded())
      throw Error(ErrorKind::device, demuxer().url() + ": in the middle of the stream, " +
                                         refusal() + "; use --decoder cpu to decode it on the CPU");
    if (code >= 0 || !refusal().empty()) return;
    if (code == AVERROR(ENOMEM))
      throw Error(ErrorKind::device,
                  demuxer().url() + ": NVDEC has no surface left for frames in flight");
    if (code == AVERROR_EXTERNAL || code == AVERROR_UNKNOWN) {
      cuda::use_device(nvdec_.device);
      FACEPIPE_CUDA_CHECK(cudaStreamSynchronize(nvdec_.stream->view().get()));
    }
  }

  const AVCodec* codec_ = nullptr;
  Nvdec nvdec_;
  ToHost to_host_;
  UniqueAVBuffer hardware_;
  std::shared_ptr<KeptDecoders> kept_;
  std::optional<DecodeStatusReader> status_;  // made at the first picture
};

}  // namespace

std::unique_ptr<Decoder> make_nvdec_decoder(const Demuxer& demuxer, const DecoderOptions& options,
                                            Device device, Notices& notices,
                                            std::shared_ptr<KeptDecoders> kept) {
  return std::make_unique<NvdecDecoder>(demuxer, options, device, notices, std::move(kept),
                                        ToHost{});
}

std::unique_ptr<Decoder> make_nvdec_to_host_decoder(const Demuxer& demuxer,
                                                    const DecoderOptions& options, Device device,
                                                    Notices& notices, CopyCounter& copies) {
  constexpr int kSurfaces = 2;  // a picture leaves its surface as soon as it is a frame
  const ToHost to_host{&copies, static_cast<std::size_t>(options.frames_alive)};
  DecoderOptions of_surfaces = options;
  of_surfaces.frames_alive = kSurfaces;
  return std::make_unique<NvdecDecoder>(demuxer, of_surfaces, device, notices, nullptr, to_host);
}

}  // namespace facepipe::video
