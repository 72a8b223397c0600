#include "video/write/output_streams.h"

extern "C" {
#include <libavutil/mem.h>
}

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <utility>

#include "video/bitstream/codec_headers.h"
#include "video/bitstream/packet_bytes.h"
#include "video/ffmpeg_compat.h"
#include "video/write/container.h"

namespace facepipe::video {
namespace {

// An encoder holds back up to about 60 frames, and packets of other streams must wait for them.
constexpr std::int64_t kHeldBackFrames = 120;
constexpr std::int64_t kMinInterleaveUs = 10 * std::int64_t{AV_TIME_BASE};

void add_side_data(AVStream& to, AVPacketSideDataType type, const std::uint8_t* bytes,
                   std::size_t size) {
  std::uint8_t* const data = allocated(compat::new_stream_side_data(to, type, size));
  std::memcpy(data, bytes, size);
}

void keep_tag_if_valid(AVCodecParameters& parameters, const AVOutputFormat& format) {
  const bool valid = format.codec_tag == nullptr ||
                     av_codec_get_id(format.codec_tag, parameters.codec_tag) == parameters.codec_id;
  if (!valid) parameters.codec_tag = 0;
}

/// Returns the clock ticks per second that MP4 uses to say when each stream begins. It is the
/// smallest number for which every stream begins at a whole tick. If the film's duration would then
/// not fit in 32 bits, the video's own number is used, or FFmpeg's.
int movie_timescale(const AVFormatContext& output, std::int64_t duration_us) {
  constexpr std::int64_t kUsual = 1000;
  constexpr int kLeastOfVideo = 10'000;  // FFmpeg doubles a stream's number until it reaches this
  constexpr std::int64_t kUnknownDuration = 12 * 3600;
  const std::int64_t seconds = duration_us > 0 ? duration_us / AV_TIME_BASE + 1 : kUnknownDuration;
  const std::int64_t most = std::min<std::int64_t>(INT32_MAX, UINT32_MAX / 2 / seconds);
  std::int64_t of_all = 1;
  std::int64_t of_video = kUsual;
  for (unsigned i = 0; i < output.nb_streams; ++i) {
    const AVStream& stream = *output.streams[i];
    const AVMediaType type = stream.codecpar->codec_type;
    std::int64_t scale = 1;
    if (type == AVMEDIA_TYPE_AUDIO) scale = std::max(1, stream.codecpar->sample_rate);
    if (type == AVMEDIA_TYPE_VIDEO) {
      scale = stream.time_base.den;
      while (scale < kLeastOfVideo) scale *= 2;
      of_video = scale;
    }
    if (of_all <= most) of_all = std::lcm(of_all, scale);
  }
  if (of_all <= most) return static_cast<int>(of_all);
  return static_cast<int>(of_video <= most ? of_video : kUsual);
}

}  // namespace

AVStream* StreamMaker::new_stream() { return allocated(avformat_new_stream(&output_, nullptr)); }

OutputStream StreamMaker::add_video(const VideoStreamInfo& video) {
  const AVStream& from = input_.video();
  AVStream* stream = new_stream();
  check_av(avcodec_parameters_copy(stream->codecpar, video.parameters.get()), ErrorKind::internal,
           "video stream");
  // For raw pictures, the tag states their format.
  if (stream->codecpar->codec_id == AV_CODEC_ID_RAWVIDEO)
    keep_tag_if_valid(*stream->codecpar, *output_.oformat);
  else
    stream->codecpar->codec_tag = 0;
  stream->time_base = video.time_base;
  stream->avg_frame_rate = to_av(video.frame_rate);
  stream->sample_aspect_ratio = to_av(video.sample_aspect);
  stream->disposition = from.disposition;
  tags_.copy(&stream->metadata, from.metadata);
  for (const StreamData& data : video.side_data)
    add_side_data(*stream, data.type, data.bytes.data(), data.bytes.size());
  return {stream, nullptr};
}

OutputStream StreamMaker::add(const AVStream& from, const StreamPlan& plan) {
  if (plan.action == StreamAction::cover) return add_cover(from);
  OutputStream output =
      plan.action == StreamAction::subtitle ? add_subtitles(from, plan.codec) : add_copy(from);
  output.stream->disposition = from.disposition;
  if (from.codecpar->codec_type == AVMEDIA_TYPE_ATTACHMENT)
    tags_.copy_of_attachment(&output.stream->metadata, from.metadata);
  else
    tags_.copy(&output.stream->metadata, from.metadata);
  return output;
}

OutputStream StreamMaker::add_copy(const AVStream& from) {
  AVStream* stream = new_stream();
  check_av(avcodec_parameters_copy(stream->codecpar, from.codecpar), ErrorKind::internal, "stream");
  keep_tag_if_valid(*stream->codecpar, *output_.oformat);
  if (originals_ == Originals::leave_out) clean(from, *stream->codecpar);
  stream->time_base = from.time_base;
  for (const AVPacketSideData& entry : compat::stream_side_data(from))
    if (originals_ == Originals::keep || !holds_words(entry.type))
      add_side_data(*stream, entry.type, entry.data, entry.size);
  return {stream, nullptr};
}

void StreamMaker::clean(const AVStream& from, AVCodecParameters& parameters) {
  const std::string lost = clean_header(parameters);
  if (!lost.empty())
    told_.push_back(describe(from) +
                    ": left out of its header, because it may tell of people and " +
                    "places: " + lost);
}

OutputStream StreamMaker::add_subtitles(const AVStream& from, AVCodecID codec) {
  auto converter = std::make_unique<SubtitleConverter>(from, codec);
  AVStream* stream = new_stream();
  converter->fill(*stream->codecpar);
  stream->time_base = {1, 1000};
  return {stream, std::move(converter)};
}

OutputStream StreamMaker::add_cover(const AVStream& from) {
  AVStream* stream = new_stream();
  AVCodecParameters& parameters = *stream->codecpar;
  parameters.codec_type = AVMEDIA_TYPE_ATTACHMENT;
  parameters.codec_id = from.codecpar->codec_id;
  set_header(parameters, data_of(from.attached_pic));
  const bool png = from.codecpar->codec_id == AV_CODEC_ID_PNG;
  av_dict_set(&stream->metadata, "filename", png ? "cover.png" : "cover.jpg", 0);
  av_dict_set(&stream->metadata, "mimetype", png ? "image/png" : "image/jpeg", 0);
  return {stream, nullptr};
}

void StreamMaker::add_tags_and_chapters(std::int64_t offset_us) {
  const AVFormatContext& from = input_.format();
  tags_.copy(&output_.metadata, from.metadata);
  if (from.nb_chapters == 0) return;
  output_.chapters =
      static_cast<AVChapter**>(allocated(av_calloc(from.nb_chapters, sizeof(AVChapter*))));
  for (unsigned i = 0; i < from.nb_chapters; ++i) {
    const AVChapter& source = *from.chapters[i];
    const std::int64_t offset = av_rescale_q(offset_us, AV_TIME_BASE_Q, source.time_base);
    if (source.end <= offset) continue;
    auto* chapter = static_cast<AVChapter*>(allocated(av_mallocz(sizeof(AVChapter))));
    output_.chapters[output_.nb_chapters++] = chapter;
    chapter->id = source.id;
    chapter->time_base = source.time_base;
    chapter->start = std::max<std::int64_t>(0, source.start - offset);
    chapter->end = source.end - offset;
    tags_.copy(&chapter->metadata, source.metadata);
  }
}

OutputStreams make_streams(StreamMaker& maker, const Demuxer& input,
                           const std::vector<StreamPlan>& plans, const VideoStreamInfo& video) {
  OutputStreams streams;
  for (unsigned i = 0; i < input.format().nb_streams && i < plans.size(); ++i) {
    const auto index = static_cast<int>(i);
    const StreamAction action = plans[i].action;
    if (action == StreamAction::drop) continue;
    OutputStream made = action == StreamAction::video
                            ? maker.add_video(video)
                            : maker.add(*input.format().streams[i], plans[i]);
    // A cover's picture is in the stream's header, so the stream gets no packet.
    if (action != StreamAction::cover) streams[index] = std::move(made);
  }
  return streams;
}

void set_header_rules(AVFormatContext& output) {
  // Stamps stay unchanged if the format can store them unchanged, or stores no stamps. If a muxer
  // shifted all streams to begin at zero, the priming sound of AAC would shift the video too. For
  // other formats, FFmpeg shifts all streams together.
  if (holds_negative_stamps(*output.oformat))
    output.avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
  // MP4's boxes for stereo and spherical pictures are in no standard, but players know them. Other
  // muxers don't get this setting, because with it they would accept codecs that no reader supports
  // (for example, MPEG-4 in FLV).
  if (is_mov_family(*output.oformat)) output.strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;
}

void prepare_header(AVFormatContext& output, const VideoStreamInfo& video, bool sequence,
                    Dictionary& options) {
  set_header_rules(output);
  const std::int64_t held_back_us =
      av_rescale_q(kHeldBackFrames, av_inv_q(to_av(video.frame_rate)), AV_TIME_BASE_Q);
  output.max_interleave_delta = std::max(kMinInterleaveUs, held_back_us);
  if (is_image_format(*output.oformat) && !sequence) options.set("update", "1");
  if (is_mov_family(*output.oformat))
    options.set("movie_timescale", std::to_string(movie_timescale(output, video.duration_us)));
  // WebM has no checksums. For pictures of half a megabyte, FFmpeg needs longer for Matroska's
  // checksums than for the rest of its work.
  const bool large_pictures = video.parameters->codec_id == AV_CODEC_ID_MJPEG;
  if (is_matroska_family(*output.oformat) && large_pictures) options.set("write_crc32", "0");
}

}  // namespace facepipe::video
