#include "pipeline/muxer.h"

extern "C" {
#include <libavutil/mem.h>
}

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "pipeline/container.h"
#include "pipeline/ffmpeg_compat.h"

namespace facepipe {
namespace {

// An encoder holds back up to some 60 frames; the other streams must wait for them.
constexpr std::int64_t kHeldBackFrames = 120;
constexpr std::int64_t kMinInterleaveUs = 10 * std::int64_t{AV_TIME_BASE};

// Written anew by muxers, or untrue once the video is encoded again.
bool is_stale_tag(std::string_view key) {
  constexpr std::array<std::string_view, 11> kStale{"major_brand",
                                                    "minor_version",
                                                    "compatible_brands",
                                                    "encoder",
                                                    "DURATION",
                                                    "BPS",
                                                    "NUMBER_OF_FRAMES",
                                                    "NUMBER_OF_BYTES",
                                                    "vendor_id",
                                                    "_STATISTICS_TAGS",
                                                    "_STATISTICS_WRITING_APP"};
  const std::string_view stem = key.substr(0, key.find("-eng"));
  return std::find(kStale.begin(), kStale.end(), stem) != kStale.end() ||
         key.starts_with("_STATISTICS_");
}

void copy_metadata(AVDictionary** to, const AVDictionary* from) {
  const AVDictionaryEntry* entry = nullptr;
  while ((entry = av_dict_get(from, "", entry, AV_DICT_IGNORE_SUFFIX)) != nullptr)
    if (!is_stale_tag(entry->key)) av_dict_set(to, entry->key, entry->value, 0);
}

void copy_side_data(AVStream& to, const AVStream& from, bool video, bool keep_rotation) {
  constexpr std::array kKeptOfVideo{AV_PKT_DATA_DISPLAYMATRIX, AV_PKT_DATA_STEREO3D,
                                    AV_PKT_DATA_SPHERICAL, AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
                                    AV_PKT_DATA_CONTENT_LIGHT_LEVEL};
  for (const AVPacketSideData& entry : compat::stream_side_data(from)) {
    const bool kept =
        std::find(kKeptOfVideo.begin(), kKeptOfVideo.end(), entry.type) != kKeptOfVideo.end();
    if (video && !kept) continue;
    if (video && entry.type == AV_PKT_DATA_DISPLAYMATRIX && !keep_rotation) continue;
    std::uint8_t* data = compat::new_stream_side_data(to, entry.type, entry.size);
    if (data == nullptr) throw std::bad_alloc();
    std::memcpy(data, entry.data, entry.size);
  }
}

void keep_tag_if_valid(AVCodecParameters& parameters, const AVOutputFormat& format) {
  const bool valid = format.codec_tag == nullptr ||
                     av_codec_get_id(format.codec_tag, parameters.codec_tag) == parameters.codec_id;
  if (!valid) parameters.codec_tag = 0;
}

}  // namespace

std::filesystem::path partial_path(const std::filesystem::path& output) {
  std::filesystem::path result = output;
  result.replace_filename(output.stem().string() + ".partial" + output.extension().string());
  return result;
}

Muxer::Muxer(const Demuxer& input, const MuxerOptions& options, Notices& notices)
    : input_(input),
      options_(options),
      notices_(notices),
      partial_(facepipe::partial_path(options.output)),
      plans_(plan_streams(input, *options.format)) {
  for (const StreamPlan& plan : plans_) {
    if (plan.notice.empty()) continue;
    if (plan.lost && options_.strict)
      throw Error(ErrorKind::output, options_.output.string() + ": --strict: " + plan.notice);
    notices_.add(plan.notice);
  }
  if (options_.sequence) {
    sequence_.emplace(options_.output);
    partial_ = sequence_->partial();
  }
  AVFormatContext* context = nullptr;
  const std::string target = "file:" + (sequence_ ? sequence_->muxer_name() : partial_.string());
  check_av(avformat_alloc_output_context2(&context, options_.format, nullptr, target.c_str()),
           ErrorKind::output, options_.output.string());
  context_.reset(context);
  if ((options_.format->flags & AVFMT_NOFILE) == 0)
    check_av(avio_open(&context_->pb, target.c_str(), AVIO_FLAG_WRITE), ErrorKind::output,
             options_.output.string());
}

Muxer::~Muxer() {
  if (completed_) return;
  context_.reset();
  if (sequence_) {
    sequence_->discard();
    return;
  }
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void Muxer::open(const VideoStreamInfo& video) {
  video_time_base_ = video.time_base;
  for (unsigned i = 0; i < input_.format().nb_streams && i < plans_.size(); ++i) {
    const AVStream& from = *input_.format().streams[i];
    const StreamPlan& plan = plans_[i];
    if (plan.action == StreamAction::video) add_video(video);
    if (plan.action == StreamAction::copy || plan.action == StreamAction::subtitle)
      add_copy(from, plan);
    if (plan.action == StreamAction::cover) add_cover(from);
  }
  copy_metadata(&context_->metadata, input_.format().metadata);
  copy_chapters();
  write_header(video);
  opened_ = true;
  while (!waiting_.empty()) {
    UniqueAVPacket packet = std::move(waiting_.front());
    waiting_.pop_front();
    write_side(std::move(packet));
  }
}

void Muxer::add_video(const VideoStreamInfo& video) {
  const AVStream& from = input_.video();
  AVStream* stream = avformat_new_stream(context_.get(), nullptr);
  if (stream == nullptr) throw std::bad_alloc();
  check_av(avcodec_parameters_copy(stream->codecpar, video.parameters.get()), ErrorKind::internal,
           "video stream");
  stream->codecpar->codec_tag = 0;
  stream->time_base = video.time_base;
  stream->avg_frame_rate = to_av(video.frame_rate);
  stream->sample_aspect_ratio = to_av(video.sample_aspect);
  stream->disposition = from.disposition;
  copy_metadata(&stream->metadata, from.metadata);
  copy_side_data(*stream, from, true, video.keep_rotation);
  outputs_[input_.video_index()].stream = stream;
}

void Muxer::add_copy(const AVStream& from, const StreamPlan& plan) {
  AVStream* stream = avformat_new_stream(context_.get(), nullptr);
  if (stream == nullptr) throw std::bad_alloc();
  Output& output = outputs_[from.index];
  output.stream = stream;
  if (plan.action == StreamAction::subtitle) {
    output.subtitles = std::make_unique<SubtitleConverter>(from, plan.codec);
    output.subtitles->fill(*stream->codecpar);
    stream->time_base = {1, 1000};
  } else {
    check_av(avcodec_parameters_copy(stream->codecpar, from.codecpar), ErrorKind::internal,
             "stream");
    keep_tag_if_valid(*stream->codecpar, *options_.format);
    stream->time_base = from.time_base;
    copy_side_data(*stream, from, false, true);
  }
  stream->disposition = from.disposition;
  copy_metadata(&stream->metadata, from.metadata);
}

void Muxer::add_cover(const AVStream& from) {
  const AVPacket& picture = from.attached_pic;
  AVStream* stream = avformat_new_stream(context_.get(), nullptr);
  if (stream == nullptr) throw std::bad_alloc();
  AVCodecParameters& parameters = *stream->codecpar;
  parameters.codec_type = AVMEDIA_TYPE_ATTACHMENT;
  parameters.codec_id = from.codecpar->codec_id;
  parameters.extradata = static_cast<std::uint8_t*>(
      av_mallocz(static_cast<std::size_t>(picture.size) + AV_INPUT_BUFFER_PADDING_SIZE));
  if (parameters.extradata == nullptr) throw std::bad_alloc();
  std::memcpy(parameters.extradata, picture.data, static_cast<std::size_t>(picture.size));
  parameters.extradata_size = picture.size;
  const bool png = from.codecpar->codec_id == AV_CODEC_ID_PNG;
  av_dict_set(&stream->metadata, "filename", png ? "cover.png" : "cover.jpg", 0);
  av_dict_set(&stream->metadata, "mimetype", png ? "image/png" : "image/jpeg", 0);
}

void Muxer::copy_chapters() {
  const AVFormatContext& from = input_.format();
  if (from.nb_chapters == 0) return;
  context_->chapters = static_cast<AVChapter**>(av_calloc(from.nb_chapters, sizeof(AVChapter*)));
  if (context_->chapters == nullptr) throw std::bad_alloc();
  for (unsigned i = 0; i < from.nb_chapters; ++i) {
    const AVChapter& source = *from.chapters[i];
    const std::int64_t offset = av_rescale_q(options_.offset_us, AV_TIME_BASE_Q, source.time_base);
    if (source.end <= offset) continue;
    auto* chapter = static_cast<AVChapter*>(av_mallocz(sizeof(AVChapter)));
    if (chapter == nullptr) throw std::bad_alloc();
    context_->chapters[context_->nb_chapters++] = chapter;
    chapter->id = source.id;
    chapter->time_base = source.time_base;
    chapter->start = std::max<std::int64_t>(0, source.start - offset);
    chapter->end = source.end - offset;
    copy_metadata(&chapter->metadata, source.metadata);
  }
}

void Muxer::write_header(const VideoStreamInfo& video) {
  // Stamps stay as they are: where a muxer would shift all streams to begin at zero, AAC's priming
  // would shift the video.
  context_->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
  const std::int64_t held_back_us =
      av_rescale_q(kHeldBackFrames, av_inv_q(to_av(video.frame_rate)), AV_TIME_BASE_Q);
  context_->max_interleave_delta = std::max(kMinInterleaveUs, held_back_us);
  Dictionary options;
  if (is_image_format(*options_.format) && !sequence_) options.set("update", "1");
  check_av(avformat_write_header(context_.get(), options.address()), ErrorKind::output,
           options_.output.string() + ": " + options_.format->name + " header");
}

void Muxer::write_video(UniqueAVPacket packet) {
  ++pictures_;
  if (sequence_) sequence_->add(packet->size);
  if (!sequence_ && pictures_ > 1 && is_image_format(*options_.format)) {
    std::filesystem::path numbered = options_.output;
    numbered.replace_filename(options_.output.stem().string() + "%05d" +
                              options_.output.extension().string());
    throw Error(ErrorKind::output, options_.output.string() +
                                       ": holds one picture, and the input has more; " +
                                       numbered.string() + " gives each a file, .mkv holds all");
  }
  write(outputs_.at(input_.video_index()), std::move(packet), video_time_base_);
}

void Muxer::write_side(UniqueAVPacket packet) {
  if (!opened_) {
    waiting_.push_back(std::move(packet));
    return;
  }
  const auto found = outputs_.find(packet->stream_index);
  if (found == outputs_.end()) return;
  Output& output = found->second;
  if (!output.subtitles) {
    write(output, std::move(packet), input_.format().streams[found->first]->time_base);
    return;
  }
  UniqueAVPacket converted = output.subtitles->convert(*packet);
  if (converted) write(output, std::move(converted), AV_TIME_BASE_Q);
}

void Muxer::write(Output& output, UniqueAVPacket packet, AVRational time_base) {
  const std::int64_t offset = av_rescale_q(options_.offset_us, AV_TIME_BASE_Q, time_base);
  if (packet->pts != AV_NOPTS_VALUE) packet->pts -= offset;
  if (packet->dts != AV_NOPTS_VALUE) packet->dts -= offset;
  av_packet_rescale_ts(packet.get(), time_base, output.stream->time_base);
  if (packet->dts == AV_NOPTS_VALUE) packet->dts = packet->pts;
  const bool backwards = packet->dts != AV_NOPTS_VALUE && output.last_dts != AV_NOPTS_VALUE &&
                         packet->dts <= output.last_dts;
  if (backwards && (options_.format->flags & AVFMT_TS_NONSTRICT) == 0) {
    packet->dts = output.last_dts + 1;
    if (packet->pts != AV_NOPTS_VALUE) packet->pts = std::max(packet->pts, packet->dts);
    notices_.add("decoding time stamps of stream " + std::to_string(output.stream->index) +
                 " moved to rise");
  }
  output.last_dts = packet->dts;
  packet->stream_index = output.stream->index;
  packet->pos = -1;
  check_av(av_interleaved_write_frame(context_.get(), packet.get()), ErrorKind::output,
           options_.output.string());
}

void Muxer::complete() {
  const std::string name = options_.output.string();
  check_av(av_write_trailer(context_.get()), ErrorKind::output, name);
  if (context_->pb != nullptr) {
    avio_flush(context_->pb);
    check_av(context_->pb->error, ErrorKind::output, name);
    check_av(avio_closep(&context_->pb), ErrorKind::output, name);
  }
  context_.reset();
}

void Muxer::finish() {
  complete();
  if (sequence_) {
    sequence_->publish(options_.replace);
    completed_ = true;
    return;
  }
  std::error_code error;
  std::filesystem::rename(partial_, options_.output, error);
  if (error) throw Error(ErrorKind::output, options_.output.string() + ": " + error.message());
  completed_ = true;
}

void Muxer::finish_partial() {
  complete();
  completed_ = true;
}

}  // namespace facepipe
