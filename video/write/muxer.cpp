#include "video/write/muxer.h"
#include "video/read/stream_kinds.h"

extern "C" {
#include <libavutil/common.h>
#include <libavutil/mem.h>
}

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/passing_error.h"
#include "video/bitstream/packet_bytes.h"
#include "video/write/container.h"
#include "video/write/places.h"
#include "video/write/timecode.h"

namespace facepipe::video {
namespace {

// Upper bounds for the bytes that muxers write at the end: indices (some 30 bytes for each packet
// in MP4), and the structures around them.
constexpr std::int64_t kIndexBytesPerPacket = 64;
constexpr std::int64_t kTrailerBytes = std::int64_t{128} << 10U;

/// Returns the output. Throws if it is a FIFO or a device, but the format's muxer must seek.
const std::filesystem::path& checked_target(const MuxerOptions& options) {
  if (is_stream_target(options.output) && !needs_no_seeking(*options.format))
    throw Error(ErrorKind::output,
                options.output.string() + ": " + options.format->name +
                    " can't be written to a FIFO or device, because its muxer must go back in the "
                    "file; use Matroska (.mkv) or MPEG-TS (.ts)");
  return options.output;
}

/// Removes side data that contain text from a packet.
void remove_words(AVPacket& packet) {
  for (int i = packet.side_data_elems - 1; i >= 0; --i) {
    if (!holds_words(packet.side_data[i].type)) continue;
    av_freep(reinterpret_cast<void*>(&packet.side_data[i].data));
    packet.side_data[i] = packet.side_data[packet.side_data_elems - 1];
    --packet.side_data_elems;
  }
}

}  // namespace

Muxer::Muxer(const Demuxer& input, MuxerOptions options, const std::vector<StreamPlan>& streams,
             const VideoStreamInfo& video, Notices& notices)
    : input_(input),
      options_(std::move(options)),
      notices_(notices),
      video_time_base_(video.time_base) {
  open_file();
  make_streams(streams, video);
  write_header(video);
}

void Muxer::open_file() {
  if (options_.discard) {
    static_cast<void>(checked_target(options_));
    discarded_.emplace();
  } else if (options_.sequence) {
    sequence_.emplace(options_.output, options_.existing);
  } else {
    io_.emplace(file_.emplace(checked_target(options_), options_.existing, options_.stop));
    file_->expect_no_file();
  }
  AVFormatContext* context = nullptr;
  // For muxers, this name only says that pictures are numbered. attach() decides which files they
  // write.
  check_av(avformat_alloc_output_context2(&context, options_.format, nullptr, "%d"),
           ErrorKind::output, options_.output.string());
  context_.reset(context);
  if (discarded_)
    discarded_->attach(*context_);
  else if (sequence_)
    sequence_->attach(*context_);
  else
    io_->attach(*context_);
}

void Muxer::make_streams(const std::vector<StreamPlan>& plans, const VideoStreamInfo& video) {
  TagFilter tags(options_.kept_tags);
  StreamMaker maker(*context_, input_, tags, options_.originals);
  for (auto& [index, stream] : video::make_streams(maker, input_, plans, video))
    static_cast<OutputStream&>(outputs_[index]) = std::move(stream);
  maker.add_tags_and_chapters(options_.offset_us);
  move_timecode(&context_->metadata);
  for (unsigned i = 0; i < context_->nb_streams; ++i)
    move_timecode(&context_->streams[i]->metadata);
  note_left_out(tags);
  for (const std::string& left_out : maker.told()) notices_.add(left_out);
}

void Muxer::move_timecode(AVDictionary** tags) {
  const AVDictionaryEntry* const entry = av_dict_get(*tags, kTimecodeTag, nullptr, 0);
  if (entry == nullptr) return;
  const std::string text = entry->value;
  const std::string moved = later_timecode(text, input_.frame_rate(), options_.timecode_delay);
  if (moved.empty())
    notices_.add("timecode \"" + text + "\" left out: it can't be moved to the chosen start");
  av_dict_set(tags, kTimecodeTag, moved.empty() ? nullptr : moved.c_str(), 0);
}

void Muxer::note_left_out(const TagFilter& tags) {
  if (tags.left_out().empty()) return;
  std::string names;
  for (const std::string& tag : tags.left_out()) names += (names.empty() ? "" : ", ") + tag;
  notices_.add("tags left out, because they may tell of people and places: " + names);
}

void Muxer::write_header(const VideoStreamInfo& video) {
  Dictionary options;
  prepare_header(*context_, video, options_.sequence, options);
  const int code = avformat_write_header(context_.get(), options.address());
  if (code < 0) fail_in_header(code);
  make_trials();
}

/// Makes a trial for each stream other than the video. Trials are needed because FFmpeg doesn't say
/// which packet made the muxer fail: it can be an earlier packet that FFmpeg held back to
/// interleave it.
void Muxer::make_trials() {
  for (auto& [index, output] : outputs_)
    if (index != input_.video_index())
      output.trial = std::make_unique<PacketTrial>(*options_.format, *output.stream);
}

/// Throws an error that names the right cause. If writing the file has failed, the header is not
/// the cause. Such a failure appears here or at the first packet.
void Muxer::fail_in_header(int code) {
  const std::string name = options_.output.string();
  if (full() == ECANCELED) throw Stopped();
  if (full() != 0) throw_write_failure(name, full());
  const bool met_by_file = io_ && io_->flush() < 0;
  check_av(code, ErrorKind::output,
           met_by_file ? name : name + ": " + options_.format->name + " header");
}

bool Muxer::write_video(UniqueAVPacket packet) {
  ++pictures_;
  if (!options_.sequence && pictures_ > 1 && is_image_format(*options_.format)) {
    std::filesystem::path numbered = options_.output;
    numbered.replace_filename(options_.output.stem().string() + "%05d" +
                              options_.output.extension().string());
    throw Error(ErrorKind::output, options_.output.string() +
                                       ": holds only one picture, but the input has more; give " +
                                       numbered.string() + " for one file each, or .mkv for all");
  }
  pad(*packet);
  if (pictures_ == 1) bytes_.first_video = packet->size;
  bytes_.video += packet->size;
  stamp(outputs_.at(input_.video_index()), *packet, video_time_base_);
  const bool taken = write(std::move(packet));
  if (taken && io_) on_their_way_.push_back(packet_bytes_);
  forget_written();
  return taken;
}

/// Appends zeros to a picture. In MPEG's codecs, zeros after a picture have no meaning. In a
/// program stream, a packet has the time of the first picture or sound that begins in the packet.
/// If a picture fills its packet, no second picture begins there, so each picture has its own time.
void Muxer::pad(AVPacket& picture) const {
  if (!is_program_stream(*options_.format)) return;
  constexpr unsigned kUsual = 2048;  // FFmpeg's default size
  const unsigned room = context_->packet_size > 0 ? context_->packet_size : kUsual;
  const int missing = static_cast<int>(room) - picture.size;
  if (missing <= 0) return;
  const int size = picture.size;
  check_av(av_grow_packet(&picture, missing), ErrorKind::internal, "a picture's padding");
  std::memset(picture.data + size, 0, static_cast<std::size_t>(missing));
}

void Muxer::forget_written() {
  while (!on_their_way_.empty() && on_their_way_.front() <= io_->queue().written())
    on_their_way_.pop_front();
}

void Muxer::write_side(UniqueAVPacket packet) {
  const auto found = outputs_.find(packet->stream_index);
  if (found == outputs_.end()) return;
  Output& output = found->second;
  const AVStream& from = *input_.format().streams[found->first];
  AVRational time_base = from.time_base;
  if (options_.originals == Originals::leave_out && leaves_out(output, from, *packet)) return;
  if (output.subtitles) {
    packet = output.subtitles->convert(*packet);
    time_base = AV_TIME_BASE_Q;
    if (!packet) return;
  }
  stamp(output, *packet, time_base);
  if (!output.trial->takes(*packet)) return leave_out(output, from);
  ++output.taken;
  bytes_.others += packet->size;
  write(std::move(packet));
}

/// Counts a packet that is left out. With `strict`, it throws at once if no packet of the stream
/// was taken before.
void Muxer::leave_out(Output& output, const AVStream& from) {
  ++output.lost;
  output.why_lost = output.trial->refusal();
  if (options_.strict && output.taken == 0)
    throw Error(ErrorKind::output,
                options_.output.string() + ": --strict: " + refused_stream(from, output.why_lost));
}

/// Returns whether the packet is text that says where the video was filmed, or comes after such
/// text. Later texts are left out too, because a log of places can contain some places in a form
/// that isn't recognised. Also removes text in the packet's side data.
bool Muxer::leaves_out(Output& output, const AVStream& from, AVPacket& packet) {
  remove_words(packet);
  if (!is_text_subtitle(from)) return false;
  if (!output.names_places && names_place(text_of(data_of(packet)))) {
    output.names_places = true;
    notices_.add(describe(from) + ": left out after a text that tells a place, and that text too");
  }
  return output.names_places;
}

std::string Muxer::refused_stream(const AVStream& from, const std::string& why) const {
  return dropped(from, options_.format->name + (" refuses its packets: " + why)).notice;
}

std::int64_t Muxer::side_packets_lost() const {
  std::int64_t lost = 0;
  for (const auto& [index, output] : outputs_)
    if (output.taken > 0) lost += output.lost;
  return lost;
}

void Muxer::note_left_out() const {
  for (const auto& [index, output] : outputs_) {
    if (output.lost == 0) continue;
    const AVStream& from = *input_.format().streams[index];
    if (output.taken == 0)
      notices_.add(refused_stream(from, output.why_lost));
    else
      notices_.add(describe(from) + ": " + std::to_string(output.lost) +
                   " packets lost: " + options_.format->name + " refuses them: " + output.why_lost);
  }
}

void Muxer::stamp(Output& output, AVPacket& packet, AVRational time_base) {
  const std::int64_t offset = av_rescale_q(options_.offset_us, AV_TIME_BASE_Q, time_base);
  if (packet.pts != AV_NOPTS_VALUE) packet.pts = av_sat_sub64(packet.pts, offset);
  if (packet.dts != AV_NOPTS_VALUE) packet.dts = av_sat_sub64(packet.dts, offset);
  av_packet_rescale_ts(&packet, time_base, output.stream->time_base);
  mend_stamps(output, packet);
  note_lost_times(output, packet.dts);
  output.last_dts = packet.dts;
  output.last_end = packet.dts == AV_NOPTS_VALUE
                        ? AV_NOPTS_VALUE
                        : av_sat_add64(packet.dts, std::max<std::int64_t>(0, packet.duration));
  packet.stream_index = output.stream->index;
  packet.pos = -1;
}

/// Reports if pictures or sound come too early. In containers that count packets, all streams begin
/// at once and have no gaps. AVI is an exception, because it repeats pictures.
void Muxer::note_lost_times(const Output& output, std::int64_t dts) {
  const AVStream& stream = *output.stream;
  const AVMediaType type = stream.codecpar->codec_type;
  const bool video = type == AVMEDIA_TYPE_VIDEO;
  const bool first = output.last_dts == AV_NOPTS_VALUE;
  const bool alone = context_->nb_streams == 1;
  if (dts == AV_NOPTS_VALUE || (first ? alone : !video)) return;
  const std::int64_t frame =
      av_rescale_q(1, av_inv_q(to_av(input_.frame_rate())), stream.time_base);
  const std::int64_t due = first ? 0 : av_sat_add64(output.last_dts, frame);
  if (frame <= 0 || av_sat_sub64(dts, due) <= frame / 2) return;
  if (!keeps_no_times(*options_.format, type)) return;
  notices_.add(std::string(video ? "pictures come" : "sound comes") + " too early in stream " +
               std::to_string(stream.index) + ": " + options_.format->name +
               (first ? " can't start a stream later" : " can't hold gaps between pictures"));
}

/// Corrects stamps as FFmpeg's own command does: decoding stamps increase, and nothing is shown
/// before it is decoded.
void Muxer::mend_stamps(Output& output, AVPacket& packet) {
  const auto note = [&](const char* before, const char* behind) {
    notices_.add(before + std::to_string(output.stream->index) + behind);
  };
  if (packet.dts == AV_NOPTS_VALUE) packet.dts = packet.pts;
  if (packet.dts == AV_NOPTS_VALUE && output.last_end != AV_NOPTS_VALUE) {
    packet.dts = packet.pts = output.last_end;
    note("packets of stream ", " had no time stamps and were placed after the packets before them");
  }
  if (packet.dts == AV_NOPTS_VALUE) return;
  if (packet.pts != AV_NOPTS_VALUE && packet.pts < packet.dts) {
    packet.dts = packet.pts;
    note("decoding time stamps of stream ",
         " moved, because they were after those of presentation");
  }
  if (output.last_dts == AV_NOPTS_VALUE) return;
  const bool may_repeat = (options_.format->flags & AVFMT_TS_NONSTRICT) != 0;
  const std::int64_t least = av_sat_add64(output.last_dts, may_repeat ? 0 : 1);
  if (packet.dts >= least) return;
  packet.dts = least;
  if (packet.pts != AV_NOPTS_VALUE) packet.pts = std::max(packet.pts, packet.dts);
  note("decoding time stamps of stream ", " moved, because they didn't increase");
}

bool Muxer::write(UniqueAVPacket packet) {
  reserve_for(*packet);
  if (full() != 0) return false;
  const int written = av_interleaved_write_frame(context_.get(), packet.get());
  if (full() == 0) check_av(written, ErrorKind::output, options_.output.string());
  return written >= 0;
}

/// Reserves room for the packet itself, for packets that FFmpeg holds back to interleave them, and
/// for the file's end.
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
  if (code == 0) on_their_way_.clear();  // FFmpeg writes the rest with the trailer
  if (full() == 0) check_av(code, ErrorKind::output, options_.output.string());
}

OutputBytes Muxer::bytes() const {
  OutputBytes bytes = bytes_;
  if (discarded_) bytes.whole = discarded_->size();
  return bytes;
}

int Muxer::complete() {
  const int code = av_write_trailer(context_.get());
  const int flushed = io_ ? io_->flush() : 0;
  if (discarded_ && context_->pb != nullptr) avio_flush(context_->pb);
  return code < 0 ? code : flushed;
}

void Muxer::finish(const std::string& damage) {
  const int code = complete();
  if (code < 0 && full() != 0 && file_ && file_->seekable() && !is_mov_family(*options_.format))
    throw Error(ErrorKind::output, options_.output.string() + ": " + write_failure(full()) +
                                       "; the output so far is kept as " +
                                       file_->keep_partial().string());
  check_av(code, ErrorKind::output, options_.output.string());
  if (discarded_) return;
  if (sequence_) {
    sequence_->ends_damaged(damage);
    sequence_->commit();
    return;
  }
  if (OutputLock* const lock = file_->lock()) lock->ends_damaged(damage);
  file_->commit();
}

std::filesystem::path Muxer::finish_partial() {
  const int code = complete();
  // If the end could not be written because the disk is full, most formats are still playable.
  const bool playable = full() != 0 && !is_mov_family(*options_.format);
  if (!playable) check_av(code, ErrorKind::output, options_.output.string());
  if (discarded_) return options_.output;
  return sequence_ ? sequence_->keep_partial() : file_->keep_partial();
}

}  // namespace facepipe::video
