#include "video/cuda/decoder.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/cuda/check.h"
#include "core/cuda/devices.h"
#include "core/cuda/stream.h"
#include "video/cuda/hardware_device.h"
#include "video/cuda/picture_fit.h"
#include "video/cuda/pictures.h"
#include "video/cuda/pool.h"
#include "video/cuda/upload.h"
#include "video/ffmpeg_compat.h"
#include "video/pictures.h"
#include "video/stream_decoder.h"

namespace facepipe {
namespace {

// One being decoded and one on its way to the queue.
constexpr int kSpareFrames = 2;

/// What a picture that was decoded on the CPU becomes before it is uploaded. Its range must stay.
AVPixelFormat planar_format(AVPixelFormat source) {
  const AVPixFmtDescriptor& description = *av_pix_fmt_desc_get(source);
  const int bits = description.comp[0].depth;
  if (bits > 10) return AV_PIX_FMT_YUV420P16;
  if (bits > 8) return AV_PIX_FMT_YUV420P10;
  const bool full_range = std::string_view(description.name).starts_with("yuvj");
  return full_range ? AV_PIX_FMT_YUVJ420P : AV_PIX_FMT_YUV420P;
}

/// Takes away what av_frame_apply_cropping() leaves of a hardware picture's cropping.
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

/// NVDEC makes a surface's height even, and FFmpeg (5.1 at least) looks for the chroma behind as
/// many rows as the picture has: of an odd number, as JPEG and VP9 may have it, a row too early.
void find_chroma(AVFrame& picture) {
  const bool odd = picture.height % 2 == 1;
  if (odd &&
      picture.data[1] - picture.data[0] == std::ptrdiff_t{picture.height} * picture.linesize[0])
    picture.data[1] += picture.linesize[0];
}

/// What FFmpeg's decoders on the CPU would call a surface's samples: what users are told. The range
/// isn't part of it: a change of that alone stays with the pictures, as there.
AVPixelFormat format_on_cpu(AVPixelFormat layout) {
  if (bits_of(layout) > 10) return AV_PIX_FMT_YUV420P12;
  return bits_of(layout) > 8 ? AV_PIX_FMT_YUV420P10 : AV_PIX_FMT_YUV420P;
}

class CudaDecoder final : public StreamDecoder {
 public:
  CudaDecoder(const Demuxer& demuxer, const CudaDecoderOptions& options,
              TargetChooser choose_target, Notices& notices, CopyCounter& copies);

  void flush(const Sink& sink) override {
    use_device();
    const bool undecided = mode_ == Mode::undecided;
    StreamDecoder::flush(sink);
    settle(sink);
    if (undecided && mode_ == Mode::cpu) StreamDecoder::flush(sink);  // of another decoder
  }
  [[nodiscard]] std::string name() const override {
    return StreamDecoder::name() + (mode_ == Mode::cpu ? "" : "_nvdec");
  }

 private:
  enum class Mode { undecided, nvdec, cpu };
  struct SurfaceKind {
    Size size;
    int bits;
    bool full_range;
  };
  struct Sent {
    UniqueAVPacket packet;
    std::int64_t tag;
  };

  void submit(AVPacket& packet, std::int64_t tag, const Sink& sink) override;
  void check_decoded(int code) override;
  [[nodiscard]] PictureTarget choose_target(const AVFrame& first,
                                            Orientation orientation) const override;
  void set_target(const PictureTarget& target) override;
  [[nodiscard]] Frame frame_of(UniqueAVFrame picture) override;

  void open_nvdec(const AVCodec& codec);
  void open_cpu();
  void use_device() const { cuda::use_device(options_.device); }
  [[nodiscard]] std::size_t in_flight() const {
    return static_cast<std::size_t>(options_.frames_in_flight + kSpareFrames);
  }
  void settle(const Sink& sink);
  void give_up_nvdec();
  static AVPixelFormat choose_format(AVCodecContext* decoder, const AVPixelFormat* offered);
  [[nodiscard]] std::string refusal_of(AVCodecContext& decoder, const AVPixelFormat* offered);
  [[nodiscard]] Frame surface_frame(UniqueAVFrame picture);
  [[nodiscard]] Frame fitted(Frame frame);
  [[nodiscard]] Frame uploaded_frame(UniqueAVFrame picture);

  CudaDecoderOptions options_;
  CopyCounter& copies_;
  std::shared_ptr<cuda::Stream> stream_;  // also of FFmpeg's handle, which frames keep alive
  UniqueAVBuffer hardware_;
  Pool<cuda::Event> events_;
  Mode mode_ = Mode::undecided;
  bool asked_ = false;      // for a format, and NVDEC's was chosen
  std::string refusal_;     // why NVDEC's was not
  std::vector<Sent> sent_;  // while undecided
  ChangeWatch changes_;
  std::optional<SurfaceKind> first_;
  std::optional<PictureFit> fit_;  // to the first's kind, once there are others
  std::optional<Normalizer> normalizer_;
  std::optional<PictureUpload> upload_;
};

// A stream is the first thing that needs a device: without one, this is where it is told.
std::shared_ptr<cuda::Stream> stream_on(Device device) {
  cuda::use_device(device);
  return std::make_shared<cuda::Stream>();
}

CudaDecoder::CudaDecoder(const Demuxer& demuxer, const CudaDecoderOptions& options,
                         TargetChooser choose_target, Notices& notices, CopyCounter& copies)
    : StreamDecoder(demuxer, options.stream, std::move(choose_target), notices),
      options_(options),
      copies_(copies),
      stream_(stream_on(options.device)),
      events_(in_flight(), [] { return std::make_unique<cuda::Event>(); }),
      changes_(options.stream.scale_on_change, demuxer.url(), notices) {
  if (options.choice == DecoderChoice::cpu) {
    open_cpu();
    return;
  }
  const AVCodecID id = demuxer.video().codecpar->codec_id;
  const AVCodec* const codec = hardware_codec(id);
  // Of a JPEG only the picture itself tells whether it is turned.
  const bool turned = is_turned(demuxer.video()) || id == AV_CODEC_ID_MJPEG;
  if (codec == nullptr)
    refusal_ = std::string("FFmpeg has no NVDEC decoder for ") + avcodec_get_name(id);
  else if (turned && !options.stream.tags_rotation)
    refusal_ = "the output can't say that pictures are turned, and NVDEC's can't be turned";
  if (codec != nullptr && refusal_.empty())
    open_nvdec(*codec);
  else
    give_up_nvdec();
}

void CudaDecoder::open_nvdec(const AVCodec& codec) {
  hardware_ = open_hardware_device(options_.device, stream_);
  // One thread: the chip decodes, and threads would only hold surfaces.
  open(codec, 1, [this](AVCodecContext& decoder) {
    decoder.hw_device_ctx = av_buffer_ref(hardware_.get());
    if (decoder.hw_device_ctx == nullptr) throw std::bad_alloc();
    decoder.opaque = this;
    decoder.get_format = choose_format;
    compat::keep_decoder_surfaces(decoder);
  });
}

void CudaDecoder::open_cpu() {
  mode_ = Mode::cpu;
  open(usual_codec(), options().threads, nullptr);
}

// FFmpeg asks before the first picture and whenever the stream's parameters change; where NVDEC
// turns out not to take the stream, it asks again without it.
AVPixelFormat CudaDecoder::choose_format(AVCodecContext* decoder, const AVPixelFormat* offered) {
  auto& self = *static_cast<CudaDecoder*>(decoder->opaque);
  self.refusal_ = self.refusal_of(*decoder, offered);
  self.asked_ = true;
  return self.refusal_.empty() ? AV_PIX_FMT_CUDA : AV_PIX_FMT_NONE;
}

std::string CudaDecoder::refusal_of(AVCodecContext& decoder, const AVPixelFormat* offered) {
  while (*offered != AV_PIX_FMT_NONE && *offered != AV_PIX_FMT_CUDA) ++offered;
  const std::string stream =
      std::string(avcodec_get_name(decoder.codec_id)) + ", " +
      to_string(Size{decoder.coded_width, decoder.coded_height}) + ", " +
      (decoder.sw_pix_fmt == AV_PIX_FMT_NONE ? "unknown format"
                                             : av_get_pix_fmt_name(decoder.sw_pix_fmt));
  if (*offered == AV_PIX_FMT_NONE) return "NVDEC doesn't take the stream (" + stream + ")";
  const std::string reason =
      reason_against_hardware(decoder, *hardware_, options_.frames_in_flight + kSpareFrames);
  return reason.empty() ? "" : "NVDEC can't be used for the stream (" + stream + "): " + reason;
}

void CudaDecoder::submit(AVPacket& packet, std::int64_t tag, const Sink& sink) {
  use_device();
  if (mode_ == Mode::undecided) sent_.push_back({reference(packet), tag});
  StreamDecoder::submit(packet, tag, sink);
  settle(sink);
}

void CudaDecoder::settle(const Sink& sink) {
  if (mode_ == Mode::cpu) return;
  if (refusal_.empty()) {
    if (!asked_) return;
    mode_ = Mode::nvdec;
    sent_.clear();
    return;
  }
  give_up_nvdec();
  for (const Sent& sent : std::exchange(sent_, {}))
    StreamDecoder::submit(*sent.packet, sent.tag, sink);
}

void CudaDecoder::give_up_nvdec() {
  if (mode_ == Mode::nvdec)
    throw Error(ErrorKind::device, demuxer().url() + ": in mid-stream " + refusal_ +
                                       "; the CPU decodes it with --decoder cpu");
  if (options_.choice == DecoderChoice::nvdec)
    throw Error(ErrorKind::device, demuxer().url() + ": " + refusal_ +
                                       "; the CPU decodes it with --decoder auto or cpu");
  notices().add("decoded on the CPU and uploaded, because " + refusal_);
  open_cpu();
}

// A damaged packet must not look like a broken device, nor the other way round.
void CudaDecoder::check_decoded(int code) {
  if (mode_ == Mode::cpu || code >= 0 || !refusal_.empty()) return;
  if (code == AVERROR(ENOMEM))
    throw Error(ErrorKind::device,
                demuxer().url() + ": NVDEC has no surface left for frames in flight");
  if (code == AVERROR_EXTERNAL || code == AVERROR_UNKNOWN)
    FACEPIPE_CUDA_CHECK(cudaStreamSynchronize(stream_->view().get()));
}

PictureTarget CudaDecoder::choose_target(const AVFrame& first, Orientation orientation) const {
  UniqueAVFrame shown = new_av_frame();
  check_av(av_frame_copy_props(shown.get(), &first), ErrorKind::internal, "picture properties");
  const auto format = static_cast<AVPixelFormat>(first.format);
  shown->width = first.width - static_cast<int>(first.crop_left);
  shown->height = first.height - static_cast<int>(first.crop_top);
  if (format == AV_PIX_FMT_CUDA)
    shown->format =
        reinterpret_cast<const AVHWFramesContext*>(first.hw_frames_ctx->data)->sw_format;
  else
    shown->format = picture_layout({}, bits_of(planar_format(format))).format;
  PictureTarget target = StreamDecoder::choose_target(*shown, orientation);
  target.width = shown->width;
  target.height = shown->height;
  target.format = format;  // set_target() wants the source's
  return target;
}

void CudaDecoder::set_target(const PictureTarget& target) {
  if (mode_ != Mode::cpu) {
    if (!target.rotate.upright())
      throw Error(ErrorKind::output,
                  demuxer().url() +
                      ": the output can't say that pictures are turned, and NVDEC's "
                      "can't be turned; write MP4 or use --decoder cpu");
    return;
  }
  PictureTarget planar = target;
  planar.format = planar_format(target.format);
  const std::string from = av_get_pix_fmt_name(target.format);
  if (planar.format != target.format)
    notices().add("pictures converted from " + from + " to " + av_get_pix_fmt_name(planar.format) +
                  " for the device");
  if ((av_pix_fmt_desc_get(target.format)->flags & AV_PIX_FMT_FLAG_ALPHA) != 0)
    notices().add("transparency dropped, which the device's pictures don't have");
  normalizer_.emplace(planar, options().scale_on_change, demuxer().url(), notices());
  const Size size = upright_size({planar.width, planar.height}, planar.rotate);
  upload_.emplace(size, bits_of(planar.format), in_flight(), options_.device, copies_);
}

Frame CudaDecoder::frame_of(UniqueAVFrame picture) {
  return mode_ == Mode::cpu ? uploaded_frame(std::move(picture))
                            : surface_frame(std::move(picture));
}

Frame CudaDecoder::uploaded_frame(UniqueAVFrame picture) {
  return upload_->upload(wrap(normalizer_->apply(std::move(picture))), *stream_);
}

Frame CudaDecoder::surface_frame(UniqueAVFrame picture) {
  if (picture->format != AV_PIX_FMT_CUDA || picture->hw_frames_ctx == nullptr)
    throw Error(ErrorKind::device, demuxer().url() + ": NVDEC's decoder gave a picture of the CPU");
  const AVPixelFormat layout =
      reinterpret_cast<const AVHWFramesContext*>(picture->hw_frames_ctx->data)->sw_format;
  find_chroma(*picture);
  crop_top_left(*picture, layout);
  const bool changed =
      changes_.is_changed({picture->width, picture->height, format_on_cpu(layout)});
  Frame frame = wrap(std::move(picture), layout, options_.device);
  if (!first_) first_ = {frame.size, bits_of(layout), frame.color.full_range};
  if (changed) return fitted(std::move(frame));
  std::shared_ptr<cuda::Event> ready = events_.lease();
  ready->record(*stream_);
  attach_ready(frame, std::move(ready));
  return frame;
}

Frame CudaDecoder::fitted(Frame frame) {
  if (!fit_)
    fit_.emplace(first_->size, first_->bits, first_->full_range, in_flight(), options_.device);
  return fit_->apply(std::move(frame), *stream_);
}

}  // namespace

std::unique_ptr<Decoder> make_cuda_decoder(const Demuxer& demuxer,
                                           const CudaDecoderOptions& options,
                                           TargetChooser choose_target, Notices& notices,
                                           CopyCounter& copies) {
  return std::make_unique<CudaDecoder>(demuxer, options, std::move(choose_target), notices, copies);
}

}  // namespace facepipe
