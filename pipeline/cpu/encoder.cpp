#include "pipeline/encoder.h"

extern "C" {
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/encoder_clock.h"
#include "pipeline/ffmpeg_compat.h"
#include "pipeline/frame_filter.h"
#include "pipeline/pictures.h"

namespace facepipe {
namespace {

// MPEG-4 part 2 stores its clock in 16 bits; MPEG-1 and MPEG-2 know a list of frame rates alone.
bool needs_frame_clock(AVCodecID codec) {
  return codec == AV_CODEC_ID_MPEG4 || codec == AV_CODEC_ID_MPEG2VIDEO ||
         codec == AV_CODEC_ID_MPEG1VIDEO;
}

bool has_own_option(AVCodecContext& context, const char* name) {
  const bool any = context.codec->priv_class != nullptr;
  return any && av_opt_find(context.priv_data, name, nullptr, 0, 0) != nullptr;
}

// Of the encoder itself, or one that all encoders share.
bool has_option(AVCodecContext& context, const char* name) {
  return av_opt_find(&context, name, nullptr, AV_OPT_FLAG_ENCODING_PARAM | AV_OPT_FLAG_VIDEO_PARAM,
                     0) != nullptr ||
         has_own_option(context, name);
}

/// The chain that makes `format` of the picture. Unless told, FFmpeg would make a full range
/// narrow, and the encoder has been opened for the one that there is.
std::string conversion_of(const AVFrame& picture, AVPixelFormat format) {
  const bool yuv = (av_pix_fmt_desc_get(format)->flags & AV_PIX_FMT_FLAG_RGB) == 0;
  const bool full = picture.color_range == AVCOL_RANGE_JPEG;
  return std::string(full && yuv ? "scale=out_range=pc," : "") +
         "format=" + av_get_pix_fmt_name(format);
}

class CpuEncoder final : public Encoder {
 public:
  CpuEncoder(const EncoderSetup& setup, const Frame& first, Notices& notices)
      : setup_(setup), notices_(notices), context_(avcodec_alloc_context3(setup.plan.codec)) {
    if (!context_) throw std::bad_alloc();
    set_picture(first);
    set_clock(first);
    open();
  }

  void encode(Frame frame, FrameRecord record, const Sink& sink) override;
  void flush(const Sink& sink) override;
  [[nodiscard]] AVRational time_base() const override { return context_->time_base; }
  [[nodiscard]] UniqueCodecParameters parameters() const override;
  [[nodiscard]] std::string name() const override { return context_->codec->name; }

 private:
  struct Pending {
    std::int64_t duration;
    FrameRecord record;
  };

  void set_picture(const Frame& first);
  void set_clock(const Frame& first);
  void set_default_quality(bool quality_chosen);
  void open();
  UniqueAVFrame picture_of(const Frame& frame);
  UniqueAVFrame prepare(Frame frame, FrameRecord record);
  void receive(const Sink& sink);

  EncoderSetup setup_;
  Notices& notices_;
  UniqueCodecContext context_;
  std::optional<FrameFilter> converter_;     // where the encoder wants what stages can't work on
  std::map<std::int64_t, Pending> pending_;  // by stamp
  std::optional<EncoderClock> clock_;
};

void CpuEncoder::set_picture(const Frame& first) {
  const AVFrame& picture = unwrap(first);
  context_->width = picture.width;
  context_->height = picture.height;
  context_->pix_fmt = setup_.plan.encoded;
  context_->sample_aspect_ratio = to_av(first.sample_aspect);
  context_->color_range = picture.color_range;
  context_->colorspace = picture.colorspace;
  context_->color_primaries = picture.color_primaries;
  context_->color_trc = picture.color_trc;
  context_->chroma_sample_location = picture.chroma_location;
  if (first.field_order == FieldOrder::progressive) return;
  context_->flags |= AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME;
  context_->field_order = first.field_order == FieldOrder::top_first ? AV_FIELD_TT : AV_FIELD_BB;
}

void CpuEncoder::set_clock(const Frame& first) {
  const AVRational rate = to_av(setup_.frame_rate);
  const bool frame_clock = setup_.fixed_frame_rate || needs_frame_clock(context_->codec_id);
  context_->time_base = frame_clock ? av_inv_q(rate) : to_av(first.time_base);
  context_->framerate = rate;
}

// Some of FFmpeg's encoders default to 200 kbit/s, which nobody wants.
void CpuEncoder::set_default_quality(bool quality_chosen) {
  if (quality_chosen || context_->bit_rate == 0 || has_own_option(*context_, "crf")) return;
  constexpr int kGoodQuantizer = 2;
  context_->flags |= AV_CODEC_FLAG_QSCALE;
  context_->global_quality = kGoodQuantizer * FF_QP2LAMBDA;
}

void CpuEncoder::open() {
  const std::string name = context_->codec->name;
  context_->thread_count = setup_.threads;
  if (setup_.global_header) context_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  std::vector<std::pair<std::string, std::string>> wanted = setup_.options.options;
  if (!setup_.options.preset.empty()) wanted.emplace_back("preset", setup_.options.preset);
  if (setup_.options.crf) wanted.emplace_back("crf", std::to_string(*setup_.options.crf));
  Dictionary options;
  bool quality_chosen = false;
  for (const auto& [key, value] : wanted) {
    if (!has_option(*context_, key.c_str()))
      throw Error(ErrorKind::usage, "encoder " + name + " has no option \"" + key + "\"");
    options.set(key, value);
    quality_chosen = quality_chosen || key == "b" || key == "q" || key == "global_quality";
  }
  set_default_quality(quality_chosen);
  check_av(avcodec_open2(context_.get(), context_->codec, options.address()), ErrorKind::output,
           setup_.output + ": encoder " + name + " refuses its options or the picture");
  clock_.emplace(context_->time_base, notices_);
  if (const char* unknown = options.first_key())
    throw Error(ErrorKind::usage, "encoder " + name + " has no option \"" + unknown + "\"");
}

UniqueAVFrame CpuEncoder::picture_of(const Frame& frame) {
  UniqueAVFrame picture(av_frame_clone(&unwrap(frame)));
  if (!picture) throw std::bad_alloc();
  if (picture->format == setup_.plan.encoded) return picture;
  if (!converter_ || converter_->from() != kind_of(*picture))
    converter_.emplace(kind_of(*picture), conversion_of(*picture, setup_.plan.encoded));
  return converter_->apply(std::move(picture));
}

UniqueAVFrame CpuEncoder::prepare(Frame frame, FrameRecord record) {
  UniqueAVFrame picture;
  std::int64_t duration = 0;
  {
    const ScopedCpuTime cpu(record.times, StageId::encode);
    picture = picture_of(frame);
    picture->pts = clock_->next_stamp(frame);
    picture->pict_type = AV_PICTURE_TYPE_NONE;  // the source's choice of key frames is not ours
    duration = clock_->duration_of(frame);
  }
  pending_.emplace(picture->pts, Pending{duration, std::move(record)});
  return picture;
}

void CpuEncoder::encode(Frame frame, FrameRecord record, const Sink& sink) {
  record.times[StageId::encode].begin = Clock::now();
  UniqueAVFrame picture = prepare(std::move(frame), std::move(record));
  check_av(avcodec_send_frame(context_.get(), picture.get()), ErrorKind::output,
           setup_.output + ": encoder " + context_->codec->name);
  receive(sink);
}

void CpuEncoder::flush(const Sink& sink) {
  check_av(avcodec_send_frame(context_.get(), nullptr), ErrorKind::output,
           setup_.output + ": encoder " + context_->codec->name);
  receive(sink);
}

void CpuEncoder::receive(const Sink& sink) {
  while (true) {
    EncodedFrame result{new_av_packet(), {}};
    const int received = avcodec_receive_packet(context_.get(), result.packet.get());
    if (received == AVERROR(EAGAIN) || received == AVERROR_EOF) return;
    check_av(received, ErrorKind::output, setup_.output + ": encoder " + context_->codec->name);
    const auto found = pending_.find(result.packet->pts);
    if (found == pending_.end())
      throw Error(ErrorKind::output, setup_.output + ": encoder " + context_->codec->name +
                                         " gave a packet with a time stamp that no frame had");
    result.packet->duration = found->second.duration;
    result.record = std::move(found->second.record);
    result.record.times[StageId::encode].end = Clock::now();
    pending_.erase(found);
    sink(std::move(result));
  }
}

UniqueCodecParameters CpuEncoder::parameters() const {
  UniqueCodecParameters parameters(avcodec_parameters_alloc());
  if (!parameters) throw std::bad_alloc();
  check_av(avcodec_parameters_from_context(parameters.get(), context_.get()), ErrorKind::internal,
           "encoder parameters");
  return parameters;
}

}  // namespace

std::unique_ptr<Encoder> make_cpu_encoder(const EncoderSetup& setup, const Frame& first,
                                          Notices& notices) {
  return std::make_unique<CpuEncoder>(setup, first, notices);
}

}  // namespace facepipe
