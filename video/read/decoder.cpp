#include "video/read/decoder.h"

#include <cstring>
#include <new>
#include <utility>

#include "video/ffmpeg_compat.h"
#include "video/frames/picture_tags.h"
#include "video/picture_limit.h"

namespace facepipe::video {
namespace {

constexpr std::int64_t kOfNobody = -1;  // tag of a picture that only pushes others out

/// Joins a picture's two fields in one packet; stamps and side data stay the first's.
void append_field(AVPacket& first, const AVPacket& second) {
  const int size = first.size;
  if (second.size <= 0) return;
  check_av(av_grow_packet(&first, second.size), ErrorKind::input, "a picture's two fields");
  std::memcpy(first.data + size, second.data, static_cast<std::size_t>(second.size));
  first.flags |= second.flags & AV_PKT_FLAG_CORRUPT;
}

}  // namespace

Decoder::Decoder(const Demuxer& demuxer, const DecoderOptions& options, Notices& notices)
    : demuxer_(demuxer),
      options_(options),
      notices_(notices),
      timeline_(demuxer, options.start_s, options.end_s, notices),
      fields_(*demuxer.video().codecpar),
      unchanged_(*demuxer.video().codecpar),
      joins_fields_(demuxer.video().codecpar->codec_id == AV_CODEC_ID_H264) {}

// FFmpeg's threads decode a packet each. Which macroblocks of an H.264 picture have been seen is
// noted by the thread that saw them: given the second field alone, another thread takes the first
// for missing, and flags a whole picture as damaged. With both fields in one packet, as Matroska
// stores them, the flags are those of one thread.
void Decoder::send(const ReadPacket& packet) {
  const AVPacket& coded = *packet.packet;
  sent_segment_ = packet.segment;
  if (packet.alone) fields_.restart();
  const bool second = fields_.is_second_field(coded);
  if (second && first_field_.packet) {
    append_field(*first_field_.packet, coded);
    ledger_.extend_last(coded.duration);
    unsent_.push_back(std::exchange(first_field_, {}));
    return;
  }
  // A first field whose second never came goes alone.
  if (first_field_.packet) unsent_.push_back(std::exchange(first_field_, {}));
  Tagged next{reference(coded), enter(packet, second)};
  const bool waits = joins_fields_ && fields_.waits_for_second();
  if (waits)
    first_field_ = std::move(next);
  else
    unsent_.push_back(std::move(next));
}

void Decoder::finish() {
  if (first_field_.packet) unsent_.push_back(std::exchange(first_field_, {}));
  finishing_ = true;
}

void Decoder::restart() {
  if (!idle_) avcodec_flush_buffers(context_.get());
  forget_segment();
}

/// Forgets all that is known of the packets that were sent, but not what the ledger counts.
void Decoder::forget_segment() {
  begins_ = true;
  for (const std::int64_t tag : foreign_) static_cast<void>(ledger_.settle(tag));
  foreign_.clear();
  fields_.restart();
  timeline_.restart();
  finishing_ = false;
  finished_ = false;
  silent_ = 0;
}

// A flush won't do: a codec that was flushed still knows the parameter sets that it has read, and
// would decode what comes before them in a damaged stream, where a new one can't.
void Decoder::begin_again() {
  unsent_.clear();
  first_field_ = {};
  if (keys_) {  // which may leave the codec as it was in the beginning
    finishing_ = true;
    while (next()) {
    }
  }
  if (!idle_) open_codec();
  if (!idle_ && keys_) end_by_key_pictures();
  forget_segment();
  ledger_ = {};
  passed_end_ = false;
}

std::optional<DecodedPicture> Decoder::next() {
  do {
    while (UniqueAVFrame picture = receive()) {
      has_decoded_ = true;
      std::optional<DecodedPicture> shown = complete(std::move(picture));
      if (shown) return shown;
    }
  } while (submit_one());
  return std::nullopt;
}

/// Sends what comes next, if there is anything to send.
bool Decoder::submit_one() {
  // All that the last packet gives has come: one that gave nothing says that nothing changes.
  if (silent_ != 0 && has_decoded_ && gives_at_once()) ledger_.leave_out(silent_);
  silent_ = 0;
  if (!refusal_.empty() || (unsent_.empty() && (!finishing_ || finished_))) return false;
  if (unsent_.empty()) {
    if (end_without_draining()) return true;
    avcodec_send_packet(context_.get(), nullptr);
    finished_ = true;
    return true;
  }
  const Tagged next = std::move(unsent_.front());
  unsent_.pop_front();
  if (next.packet->size <= 0) return true;  // FFmpeg would take it for the end
  const bool alone = keys_ && keys_->look_at(*next.packet);
  if (std::exchange(begins_, false)) begin(alone);
  const int sent = submit(*next.packet, next.tag);
  if (sent == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (sent >= 0) silent_ = next.tag;
  return true;
}

/// Whether FFmpeg's decoder gives a packet's picture, or an error, before it takes the next packet.
/// Where each packet is a whole picture, one that gives none is damaged.
bool Decoder::gives_at_once() const {
  if ((context_->codec->capabilities & AV_CODEC_CAP_DELAY) != 0 ||
      (context_->active_thread_type & FF_THREAD_FRAME) != 0 || context_->has_b_frames != 0)
    return false;
  const AVCodecDescriptor* const codec = avcodec_descriptor_get(context_->codec_id);
  return codec != nullptr && (codec->props & AV_CODEC_PROP_INTRA_ONLY) == 0;
}

/// A codec that has been used before either goes on, or is made like a new one.
/// @param alone  as KeyPictures::look_at() of the first packet
void Decoder::begin(bool alone) {
  if (!std::exchange(idle_, false)) return;
  if (!alone) return avcodec_flush_buffers(context_.get());
  // What a new one learns of the stream as it goes on.
  context_->has_b_frames = demuxer_.video().codecpar->video_delay;
  compat::forget_stamps(*context_);
}

int Decoder::submit(AVPacket& packet, std::int64_t tag) {
  compat::set_tag(*context_, packet, tag);
  const int sent = avcodec_send_packet(context_.get(), &packet);
  check_size();
  check_decoded(sent);
  return sent;
}

/// Another key picture, as long as one of the stream is held back; false where that won't do.
bool Decoder::end_without_draining() {
  if (!keys_ || !foreign_.empty()) return false;
  if (!ledger_.has_open()) {
    idle_ = keys_->unchanged();
    finished_ = idle_;
    return idle_;
  }
  const UniqueAVPacket key = keys_->next();
  return key && submit(*key, kOfNobody) >= 0;
}

void Decoder::end_by_key_pictures() {
  const AVCodecParameters& video = *demuxer_.video().codecpar;
  if (video.codec_id == AV_CODEC_ID_H264 && compat::kMayGoOn) keys_.emplace(video);
}

void Decoder::go_on_with(UniqueCodecContext context) {
  context_ = std::move(context);
  context_->pkt_timebase = demuxer_.video().time_base;
  idle_ = true;
}

UniqueCodecContext Decoder::take_idle() { return idle_ ? std::move(context_) : nullptr; }

bool Decoder::past_end(const AVPacket& packet) const {
  return passed_end_ || timeline_.after_range(packet.dts, demuxer_.video().time_base);
}

bool Decoder::in_range(const AVPacket& packet, AVRational time_base) const {
  return timeline_.in_range(packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts, time_base);
}

bool Decoder::is_damaged(const AVFrame& picture) {
  return picture.decode_error_flags != 0 || (picture.flags & AV_FRAME_FLAG_CORRUPT) != 0;
}

PictureFacts Decoder::facts_of(const AVFrame& picture) const {
  return {{picture.width, picture.height},
          static_cast<AVPixelFormat>(picture.format),
          compat::is_interlaced(picture)};
}

const AVCodec& Decoder::usual_codec() const {
  const AVCodecID id = demuxer_.video().codecpar->codec_id;
  const AVCodec* codec = nullptr;
  // FFmpeg's own decoders of VP8 and VP9 leave transparency out, the library's don't.
  if (demuxer_.has_transparency_beside())
    codec = avcodec_find_decoder_by_name(id == AV_CODEC_ID_VP8 ? "libvpx" : "libvpx-vp9");
  if (codec == nullptr) codec = avcodec_find_decoder(id);
  if (codec == nullptr)
    throw Error(ErrorKind::input, demuxer_.url() + ": no decoder for " + avcodec_get_name(id));
  return *codec;
}

void Decoder::open(const AVCodec& codec, int threads,
                   const std::function<void(AVCodecContext&)>& prepare) {
  context_ = new_codec_context(&codec);
  check_av(avcodec_parameters_to_context(context_.get(), demuxer_.video().codecpar),
           ErrorKind::input, demuxer_.url());
  context_->pkt_timebase = demuxer_.video().time_base;
  context_->thread_count = threads;
  // Threads that each take a picture have nothing to do but for one of them.
  if (demuxer_.is_one_picture()) context_->thread_type = FF_THREAD_SLICE;
  context_->max_pixels = codec_max_pixels(demuxer_.max_pixels());
  context_->flags |= AV_CODEC_FLAG_UNALIGNED;  // or the left edge's cropping is rounded
  compat::enable_tags(*context_);
  if (prepare) prepare(*context_);
  const int opened = avcodec_open2(context_.get(), &codec, nullptr);
  check_av(opened, ErrorKind::input, demuxer_.url() + ": decoder " + codec.name);
}

void Decoder::check_size() const {
  const std::int64_t most = demuxer_.max_pixels();
  if (const std::optional<Size> refused = take_refused_size())
    check_pixels(demuxer_.url(), *refused, most);
  check_pixels(demuxer_.url(), {context_->coded_width, context_->coded_height}, most);
}

std::int64_t Decoder::enter(const ReadPacket& read, bool second_field) {
  const AVPacket& packet = *read.packet;
  Ledger::Entry entry;
  entry.shown = false;
  entry.segment = read.segment;
  if (second_field) {
    ledger_.extend_last(packet.duration);
  } else if (!read.foreign) {
    entry.duration = packet.duration;
    const std::int64_t stamp = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
    const bool unchanged = unchanged_.is_one(packet);
    entry.shown = !unchanged && (packet.flags & AV_PKT_FLAG_DISCARD) == 0 &&
                  timeline_.in_range(stamp, demuxer_.video().time_base);
    entry.times[StageId::read] = read.read;
    entry.times[StageId::decode].begin = Clock::now();
  }
  const std::int64_t tag = ledger_.enter(entry);
  if (read.foreign) foreign_.insert(tag);
  return tag;
}

/// The next picture that FFmpeg has ready; nullptr if there is none.
UniqueAVFrame Decoder::receive() {
  while (refusal_.empty()) {
    UniqueAVFrame picture = new_av_frame();
    const int received = avcodec_receive_frame(context_.get(), picture.get());
    if (received == AVERROR(EAGAIN) || received == AVERROR_EOF) return nullptr;
    if (received < 0) silent_ = 0;
    check_size();
    check_decoded(received);
    if (received == AVERROR(ENOMEM)) throw std::bad_alloc();
    // The packet's entry stays open, so it counts as lost. FFmpeg also gives pictures that it
    // couldn't begin to decode: of a device's they have no memory.
    if (received < 0 || picture->data[0] == nullptr) continue;
    forget_unknown_tags(*picture);
    return picture;
  }
  return nullptr;
}

/// FFmpeg's guess may be the decoding stamp of the packet that pushed the picture out: worth
/// nothing where that is one of a segment far behind.
std::int64_t Decoder::stamp_of(const AVFrame& picture) const {
  return segment_ == sent_segment_ ? picture.best_effort_timestamp : picture.pts;
}

std::optional<DecodedPicture> Decoder::complete(UniqueAVFrame picture) {
  const std::int64_t tag = compat::tag_of(*picture);
  if (tag == kOfNobody || foreign_.contains(tag)) return std::nullopt;
  const std::optional<Ledger::Entry> known = ledger_.settle(tag);
  const Ledger::Entry entry = known.value_or(Ledger::Entry{});
  if (known && std::exchange(segment_, entry.segment) != entry.segment) timeline_.restart();
  DecodedPicture result;
  result.segment = segment_;
  result.times = entry.times;
  result.times[StageId::decode].end = Clock::now();
  {
    const ScopedCpuTime cpu(result.times, StageId::decode);
    result.time_base = timeline_.time_base();
    result.coded = {stamp_of(*picture),
                    entry.duration > 0 ? entry.duration : compat::duration_of(*picture)};
    result.timing = timeline_.next(result.coded.pts, result.coded.duration);
    const bool shown = timeline_.in_range(result.timing.pts, result.time_base);
    if (timeline_.after_range(result.timing.pts, result.time_base)) passed_end_ = true;
    if (known) ledger_.correct(entry, shown);
    if (!shown) return std::nullopt;
    result.damaged = is_damaged(*picture);
    ledger_.count_frame(result.damaged, segment_);
    result.picture = std::move(picture);
  }
  return result;
}

}  // namespace facepipe::video
