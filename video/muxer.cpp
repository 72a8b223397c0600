#include "video/muxer.h"

extern "C" {
#include <libavutil/avstring.h>
#include <libavutil/mem.h>
}

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "video/container.h"
#include "video/ffmpeg_compat.h"

namespace facepipe {
namespace {

// An encoder holds back up to some 60 frames; the other streams must wait for them.
constexpr std::int64_t kHeldBackFrames = 120;
constexpr std::int64_t kMinInterleaveUs = 10 * std::int64_t{AV_TIME_BASE};
// What muxers write at the end: indices, of MP4 some 30 bytes a packet, and what surrounds them.
constexpr std::int64_t kIndexBytesPerPacket = 64;
constexpr std::int64_t kTrailerBytes = std::int64_t{128} << 10U;

// Written anew by muxers, or untrue once the video is encoded again.
bool is_stale_tag(std::string_view key) {
  constexpr std::array<std::string_view, 10> kStale{
      "major_brand", "minor_version", "compatible_brands", "encoder",         "ENCODER",
      "DURATION",    "BPS",           "NUMBER_OF_FRAMES",  "NUMBER_OF_BYTES", "vendor_id"};
  const std::string_view stem = key.substr(0, key.find("-eng"));
  return std::find(kStale.begin(), kStale.end(), stem) != kStale.end() ||
         key.starts_with("_STATISTICS_");
}

/// Which say nothing of whom and where.
bool is_technical_tag(std::string_view key) {
  constexpr std::array<std::string_view, 6> kTechnical{"language",   "timecode", "rotate",
                                                       "alpha_mode", "filename", "mimetype"};
  return std::find(kTechnical.begin(), kTechnical.end(), key) != kTechnical.end();
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
    std::uint8_t* data = allocated(compat::new_stream_side_data(to, entry.type, entry.size));
    std::memcpy(data, entry.data, entry.size);
  }
}

/// A FIFO or device can't be sought.
const std::filesystem::path& checked_target(const MuxerOptions& options) {
  if (is_stream_target(options.output) && !needs_no_seeking(*options.format))
    throw Error(ErrorKind::output,
                options.output.string() + ": " + options.format->name +
                    " is finished by going back in the file, which can't be done here; Matroska "
                    "(.mkv) and MPEG-TS (.ts) can be written to a FIFO or device");
  return options.output;
}

void keep_tag_if_valid(AVCodecParameters& parameters, const AVOutputFormat& format) {
  const bool valid = format.codec_tag == nullptr ||
                     av_codec_get_id(format.codec_tag, parameters.codec_tag) == parameters.codec_id;
  if (!valid) parameters.codec_tag = 0;
}

}  // namespace

Muxer::Muxer(const Demuxer& input, MuxerOptions options, std::vector<StreamPlan> streams,
             const VideoStreamInfo& video, Notices& notices)
    : input_(input),
      options_(std::move(options)),
      notices_(notices),
      plans_(std::move(streams)),
      video_time_base_(video.time_base) {
  open_file();
  make_streams(video);
  write_header(video);
}

void Muxer::open_file() {
  if (options_.sequence) {
    sequence_.emplace(options_.output, options_.existing);
  } else {
    io_.emplace(file_.emplace(checked_target(options_), options_.existing, options_.stop));
    file_->expect_no_file();
  }
  AVFormatContext* context = nullptr;
  // The name tells muxers nothing but that pictures are numbered: what they open is ours.
  check_av(avformat_alloc_output_context2(&context, options_.format, nullptr, "%d"),
           ErrorKind::output, options_.output.string());
  context_.reset(context);
  if (sequence_)
    sequence_->attach(*context_);
  else
    io_->attach(*context_);
}

void Muxer::make_streams(const VideoStreamInfo& video) {
  for (unsigned i = 0; i < input_.format().nb_streams && i < plans_.size(); ++i) {
    const AVStream& from = *input_.format().streams[i];
    const StreamPlan& plan = plans_[i];
    if (plan.action == StreamAction::video) add_video(video);
    if (plan.action == StreamAction::copy || plan.action == StreamAction::subtitle)
      add_copy(from, plan);
    if (plan.action == StreamAction::cover) add_cover(from);
  }
  copy_tags(&context_->metadata, input_.format().metadata);
  copy_chapters();
  tell_left_out();
}

void Muxer::tell_left_out() {
  if (tags_left_out_.empty()) return;
  std::string names;
  for (const std::string& tag : tags_left_out_) names += (names.empty() ? "" : ", ") + tag;
  notices_.add("tags left out, which may tell of people and places: " + names);
}

void Muxer::add_video(const VideoStreamInfo& video) {
  const AVStream& from = input_.video();
  AVStream* stream = allocated(avformat_new_stream(context_.get(), nullptr));
  check_av(avcodec_parameters_copy(stream->codecpar, video.parameters.get()), ErrorKind::internal,
           "video stream");
  // Of raw pictures it says in which format they are.
  if (stream->codecpar->codec_id == AV_CODEC_ID_RAWVIDEO)
    keep_tag_if_valid(*stream->codecpar, *options_.format);
  else
    stream->codecpar->codec_tag = 0;
  stream->time_base = video.time_base;
  stream->avg_frame_rate = to_av(video.frame_rate);
  stream->sample_aspect_ratio = to_av(video.sample_aspect);
  stream->disposition = from.disposition;
  copy_tags(&stream->metadata, from.metadata);
  copy_side_data(*stream, from, true, video.keep_rotation);
  outputs_[input_.video_index()].stream = stream;
}

void Muxer::add_copy(const AVStream& from, const StreamPlan& plan) {
  AVStream* stream = allocated(avformat_new_stream(context_.get(), nullptr));
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
  copy_tags(&stream->metadata, from.metadata);
}

void Muxer::add_cover(const AVStream& from) {
  const AVPacket& picture = from.attached_pic;
  AVStream* stream = allocated(avformat_new_stream(context_.get(), nullptr));
  AVCodecParameters& parameters = *stream->codecpar;
  parameters.codec_type = AVMEDIA_TYPE_ATTACHMENT;
  parameters.codec_id = from.codecpar->codec_id;
  const auto size = static_cast<std::size_t>(picture.size);
  parameters.extradata =
      static_cast<std::uint8_t*>(allocated(av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE)));
  std::memcpy(parameters.extradata, picture.data, size);
  parameters.extradata_size = picture.size;
  const bool png = from.codecpar->codec_id == AV_CODEC_ID_PNG;
  av_dict_set(&stream->metadata, "filename", png ? "cover.png" : "cover.jpg", 0);
  av_dict_set(&stream->metadata, "mimetype", png ? "image/png" : "image/jpeg", 0);
}

void Muxer::copy_tags(AVDictionary** to, const AVDictionary* from) {
  const AVDictionaryEntry* entry = nullptr;
  while ((entry = av_dict_get(from, "", entry, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
    const std::string key = entry->key;
    if (is_stale_tag(key)) continue;
    const bool kept = !options_.kept_tags || is_technical_tag(key) ||
                      std::ranges::any_of(*options_.kept_tags, [&](const std::string& name) {
                        return av_strcasecmp(name.c_str(), key.c_str()) == 0;
                      });
    if (kept)
      av_dict_set(to, entry->key, entry->value, 0);
    else
      tags_left_out_.insert(key);
  }
}

void Muxer::copy_chapters() {
  const AVFormatContext& from = input_.format();
  if (from.nb_chapters == 0) return;
  context_->chapters =
      static_cast<AVChapter**>(allocated(av_calloc(from.nb_chapters, sizeof(AVChapter*))));
  for (unsigned i = 0; i < from.nb_chapters; ++i) {
    const AVChapter& source = *from.chapters[i];
    const std::int64_t offset = av_rescale_q(options_.offset_us, AV_TIME_BASE_Q, source.time_base);
    if (source.end <= offset) continue;
    auto* chapter = static_cast<AVChapter*>(allocated(av_mallocz(sizeof(AVChapter))));
    context_->chapters[context_->nb_chapters++] = chapter;
    chapter->id = source.id;
    chapter->time_base = source.time_base;
    chapter->start = std::max<std::int64_t>(0, source.start - offset);
    chapter->end = source.end - offset;
    copy_tags(&chapter->metadata, source.metadata);
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
  // Matroska's checksums, which WebM has none of, take FFmpeg longer than all else that it does to
  // pictures of half a megabyte.
  const bool large_pictures = video.parameters->codec_id == AV_CODEC_ID_MJPEG;
  if (is_matroska_family(*options_.format) && large_pictures) options.set("write_crc32", "0");
  const int code = avformat_write_header(context_.get(), options.address());
  if (code < 0) fail_in_header(code);
}

/// What the file met isn't the header's fault; it may come to light here or at the first packet.
void Muxer::fail_in_header(int code) {
  const std::string name = options_.output.string();
  if (full() == ECANCELED) throw Stopped();
  if (full() != 0) throw Error(ErrorKind::output, name + ": " + write_failure(full()));
  const bool met_by_file = io_ && io_->flush() < 0;
  check_av(code, ErrorKind::output,
           met_by_file ? name : name + ": " + options_.format->name + " header");
}

bool Muxer::write_video(UniqueAVPacket packet) {
  ++pictures_;
  if (!sequence_ && pictures_ > 1 && is_image_format(*options_.format)) {
    std::filesystem::path numbered = options_.output;
    numbered.replace_filename(options_.output.stem().string() + "%05d" +
                              options_.output.extension().string());
    throw Error(ErrorKind::output, options_.output.string() +
                                       ": holds one picture, and the input has more; " +
                                       numbered.string() + " gives each a file, .mkv holds all");
  }
  const bool taken = write(outputs_.at(input_.video_index()), std::move(packet), video_time_base_);
  if (taken && io_) on_their_way_.push_back(packet_bytes_);
  forget_written();
  return taken;
}

void Muxer::forget_written() {
  while (!on_their_way_.empty() && on_their_way_.front() <= io_->queue().written())
    on_their_way_.pop_front();
}

void Muxer::write_side(UniqueAVPacket packet) {
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

bool Muxer::write(Output& output, UniqueAVPacket packet, AVRational time_base) {
  reserve_for(*packet);
  if (full() != 0) return false;
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
  const int written = av_interleaved_write_frame(context_.get(), packet.get());
  if (full() == 0) check_av(written, ErrorKind::output, options_.output.string());
  return written >= 0;
}

/// For the packet itself, those that FFmpeg holds back to interleave them, and the file's end.
void Muxer::reserve_for(const AVPacket& packet) {
  if (!io_) return;
  ++packets_;
  packet_bytes_ += packet.size;
  OutputQueue& queue = io_->queue();
  const std::int64_t held_back = std::max<std::int64_t>(0, packet_bytes_ - queue.size());
  queue.reserve(held_back + packets_ * kIndexBytesPerPacket + kTrailerBytes);
}

void Muxer::drain() {
  const int code = io_ ? io_->flush() : 0;
  forget_written();
  if (code == 0) on_their_way_.clear();  // FFmpeg writes what it holds back with the trailer
  if (full() == 0) check_av(code, ErrorKind::output, options_.output.string());
}

int Muxer::complete() {
  const int code = av_write_trailer(context_.get());
  const int flushed = io_ ? io_->flush() : 0;
  return code < 0 ? code : flushed;
}

void Muxer::finish() {
  const int code = complete();
  if (code < 0 && full() != 0 && file_ && file_->seekable() && !is_mov_family(*options_.format))
    throw Error(ErrorKind::output, options_.output.string() + ": " + write_failure(full()) +
                                       "; what was made is kept as " +
                                       file_->keep_partial().string());
  check_av(code, ErrorKind::output, options_.output.string());
  if (sequence_)
    sequence_->commit();
  else
    file_->commit();
}

std::filesystem::path Muxer::finish_partial() {
  const int code = complete();
  // Where no room could be reserved for the end, most formats can be played without it.
  const bool playable = full() != 0 && !is_mov_family(*options_.format);
  if (!playable) check_av(code, ErrorKind::output, options_.output.string());
  return sequence_ ? sequence_->keep_partial() : file_->keep_partial();
}

}  // namespace facepipe
