#include "video/write/ffmpeg_encoder.h"

extern "C" {
#include <libavutil/opt.h>
}

#include <algorithm>
#include <utility>

#include "core/machine.h"
#include "core/threads.h"
#include "video/frames/pictures.h"

namespace facepipe::video {
namespace {

// Returns whether the encoder's time base must be the duration of a frame. MPEG-4 part 2 stores its
// clock in 16 bits. MPEG-1 and MPEG-2 know only a list of frame rates. Theora counts frames.
bool needs_frame_clock(AVCodecID codec) {
  return codec == AV_CODEC_ID_MPEG4 || codec == AV_CODEC_ID_MPEG2VIDEO ||
         codec == AV_CODEC_ID_MPEG1VIDEO || codec == AV_CODEC_ID_THEORA;
}

AVRational time_base_of(const EncoderSetup& setup, const Frame& first) {
  const bool frame_clock = setup.fixed_frame_rate || needs_frame_clock(setup.plan.codec->id);
  return frame_clock ? av_inv_q(to_av(setup.frame_rate)) : to_av(first.time_base);
}

// x265 itself writes to standard error, unless these options are set.
constexpr std::string_view kX265Options = "x265-params";
constexpr std::string_view kX265Quiet = "log-level=none";

void quiet_encoder(const AVCodec& codec, Dictionary& options) {
  if (std::string_view(codec.name) == "libx265")
    options.set(std::string(kX265Options), std::string(kX265Quiet));
}

// Throws if the threads of an encoder can't be started, because the encoder itself doesn't report
// that. libx264 starts 1.5 threads for each core, and one thread that looks ahead.
void expect_encoder_threads(int threads) {
  const int cores = usable_processors();
  expect_threads(threads > 0 ? threads : cores + cores / 2 + 1);
}

/// Sends SVT-AV1 a picture before the encoder is closed. Without any picture, SVT-AV1 (1.4) waits
/// for ever.
void end_svt(AVCodecContext& context) {
  const UniqueAVFrame picture(av_frame_alloc());
  const UniqueAVPacket packet(av_packet_alloc());
  if (!picture || !packet) return;
  picture->format = context.pix_fmt;
  picture->width = context.width;
  picture->height = context.height;
  picture->pts = 0;
  if (av_frame_get_buffer(picture.get(), 0) < 0) return;
  // Any picture is good enough.
  static_cast<void>(fill_black(*picture, context.color_range));
  avcodec_send_frame(&context, picture.get());
  avcodec_send_frame(&context, nullptr);
  while (avcodec_receive_packet(&context, packet.get()) >= 0) av_packet_unref(packet.get());
}

void set_picture(AVCodecContext& context, const Frame& first) {
  const AVFrame& picture = unwrap(first);
  context.width = picture.width;
  context.height = picture.height;
  context.sample_aspect_ratio = to_av(first.sample_aspect);
  context.color_range = picture.color_range;
  context.colorspace = picture.colorspace;
  context.color_primaries = picture.color_primaries;
  context.color_trc = picture.color_trc;
  context.chroma_sample_location = picture.chroma_location;
  if (first.field_order == FieldOrder::progressive) return;
  context.flags |= AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME;
  context.field_order = first.field_order == FieldOrder::top_first ? AV_FIELD_TT : AV_FIELD_BB;
}

/// Makes an encoder's context, without the user's options. The context is not open yet.
UniqueCodecContext make_context(const EncoderSetup& setup, const Frame& first, AVRational time_base,
                                const FFmpegEncoder::Configure& configure) {
  UniqueCodecContext context = new_codec_context(setup.plan.codec);
  set_picture(*context, first);
  context->pix_fmt = setup.plan.encoded;
  context->time_base = time_base;
  context->framerate = to_av(setup.frame_rate);
  context->thread_count = setup.threads;
  if (setup.in_shown_order) context->max_b_frames = 0;
  if (setup.global_header) context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  configure(*context);
  return context;
}

/// Returns whether an encoder can be opened with one thread after it has failed with several
/// threads. Some encoders (libx264) don't report that they could not start their threads, or had no
/// memory for them.
bool opens_with_one_thread(UniqueCodecContext context, const CodecOptions& options) {
  constexpr int kThreads =
      AV_CODEC_CAP_OTHER_THREADS | AV_CODEC_CAP_FRAME_THREADS | AV_CODEC_CAP_SLICE_THREADS;
  if ((context->codec->capabilities & kThreads) == 0 || context->thread_count == 1) return false;
  context->thread_count = 1;
  return open_with_options(*context, options) >= 0;
}

}  // namespace

bool names_any(const CodecOptions& options, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(options, [&](const auto& option) {
    return std::ranges::find(names, option.first) != names.end();
  });
}

bool has_own_option(const AVCodec& codec, const std::string& name) {
  const AVClass* options = codec.priv_class;
  return options != nullptr &&
         av_opt_find(&options, name.c_str(), nullptr, 0, AV_OPT_SEARCH_FAKE_OBJ) != nullptr;
}

bool has_option(AVCodecContext& context, const std::string& name) {
  return av_opt_find(&context, name.c_str(), nullptr,
                     AV_OPT_FLAG_ENCODING_PARAM | AV_OPT_FLAG_VIDEO_PARAM, 0) != nullptr ||
         has_own_option(*context.codec, name);
}

int open_with_options(AVCodecContext& context, const CodecOptions& options) {
  const auto refuse = [&](const std::string& name) {
    throw Error(ErrorKind::usage,
                std::string("encoder ") + context.codec->name + " has no option \"" + name + "\"");
  };
  Dictionary dictionary;
  quiet_encoder(*context.codec, dictionary);
  for (const auto& [name, value] : options) {
    if (!has_option(context, name)) refuse(name);
    dictionary.set(name, name == kX265Options ? std::string(kX265Quiet) + ":" + value : value);
  }
  const int code = avcodec_open2(&context, context.codec, dictionary.address());
  const char* const unknown = dictionary.first_key();
  if (code >= 0 && unknown != nullptr) refuse(unknown);
  return code;
}

FFmpegEncoder::FFmpegEncoder(const EncoderSetup& setup, const Frame& first,
                             const CodecOptions& options, const Configure& configure,
                             Notices& notices)
    : subject_(setup.output + ": encoder " + setup.plan.codec->name),
      clock_(time_base_of(setup, first), notices) {
  const auto make = [&] { return make_context(setup, first, clock_.time_base(), configure); };
  context_ = make();
  CodecOptions all = options;
  for (auto& option : hdr10_options(*setup.plan.codec, setup.stream_data, options))
    all.push_back(std::move(option));
  const int opened = open_with_options(*context_, all);
  if (opened < 0) expect_encoder_threads(setup.threads);
  if (opened < 0 && opens_with_one_thread(make(), all))
    throw Error(ErrorKind::internal,
                subject_ + ": can't start its threads, or has no memory for them");
  check_av(opened, ErrorKind::output, subject_ + " refuses its options or the picture");
  if (setup.in_shown_order && context_->has_b_frames > 0)
    notices.add(
        "pictures come later than their sound, because the container doesn't store the order of "
        "presentation and the encoder makes B-frames");
}

FFmpegEncoder::~FFmpegEncoder() {
  if (!got_any_ && std::string_view(context_->codec->name) == "libsvtav1") end_svt(*context_);
}

void FFmpegEncoder::announce(const Frame& frame, AVFrame& picture, FrameRecord record) {
  picture.pts = clock_.next_stamp(frame);
  // The encoder, not the source, decides which frames become key frames.
  picture.pict_type = AV_PICTURE_TYPE_NONE;
  pending_.emplace(picture.pts, Pending{clock_.duration_of(frame), std::move(record)});
}

void FFmpegEncoder::give(const AVFrame* picture, const Encoder::Sink& sink) {
  got_any_ = true;
  check_av(avcodec_send_frame(context_.get(), picture), ErrorKind::output, subject_);
  EncodedFrame result;
  while (receive(result)) sink(std::exchange(result, {}));
}

bool FFmpegEncoder::receive(EncodedFrame& result) {
  result = {new_av_packet(), {}};
  const int received = avcodec_receive_packet(context_.get(), result.packet.get());
  if (received == AVERROR(EAGAIN) || received == AVERROR_EOF) return false;
  check_av(received, ErrorKind::output, subject_);
  const auto pending = pending_.extract(result.packet->pts);
  if (!pending)
    throw Error(ErrorKind::output, subject_ + " gave a packet with a time stamp that no frame had");
  result.packet->duration = pending.mapped().duration;
  result.record = std::move(pending.mapped().record);
  result.record.times[StageId::encode].end = Clock::now();
  return true;
}

UniqueCodecParameters FFmpegEncoder::parameters() const {
  UniqueCodecParameters parameters = new_codec_parameters();
  check_av(avcodec_parameters_from_context(parameters.get(), context_.get()), ErrorKind::internal,
           "encoder parameters");
  return parameters;
}

}  // namespace facepipe::video
