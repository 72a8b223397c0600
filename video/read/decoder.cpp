#include "video/read/decoder.h"

#include <new>
#include <utility>

#include "video/ffmpeg_compat.h"
#include "video/frames/picture_tags.h"
#include "video/picture_limit.h"
#include "video/read/codec.h"

namespace facepipe::video {

Decoder::Decoder(const Demuxer& demuxer, const DecoderOptions& options, Notices& notices)
    : demuxer_(demuxer),
      options_(options),
      notices_(notices),
      unsent_(*demuxer.video().codecpar),
      matcher_(demuxer, options.start_s, options.end_s, notices) {}

void Decoder::send(const ReadPacket& packet) {
  const AVPacket& coded = *packet.packet;
  if (packet.starts_independently) unsent_.restart();
  const bool second = unsent_.is_second_field(coded);
  if (second && unsent_.join(coded)) {
    matcher_.join_field(packet);
    return;
  }
  const std::int64_t tag = matcher_.enter(packet, second);
  unsent_.push({reference(coded), tag});
}

void Decoder::finish() {
  unsent_.finish();
  span_.finish();
}

void Decoder::restart() {
  if (!span_.idle()) flush_codec();
  forget_segment();
}

/// Forgets the packets that were sent, but keeps the ledger's counts.
void Decoder::forget_segment() {
  span_.restart();
  matcher_.restart();
  unsent_.restart();
  silent_ = 0;
}

// A flush isn't enough, because a flushed codec still knows the parameter sets that it has read. In
// a damaged stream, it could decode packets that come before the parameter sets. A new codec can't.
void Decoder::begin_again() {
  unsent_.clear();
  if (span_.ends_by_key_pictures()) {  // an end by key pictures can leave the codec idle
    span_.finish();
    while (next()) {
    }
  }
  if (!span_.idle()) open_codec();
  if (!span_.idle() && span_.ends_by_key_pictures()) end_by_key_pictures();
  forget_segment();
  matcher_.begin_again();
}

std::optional<DecodedPicture> Decoder::next() {
  do {
    while (UniqueAVFrame picture = receive()) {
      has_decoded_ = true;
      std::optional<DecodedPicture> shown = matcher_.match(
          std::move(picture), [this](const AVFrame& decoded) { return is_damaged(decoded); });
      if (shown) return shown;
    }
  } while (submit_one());
  return std::nullopt;
}

/// Sends the next packet or the end. Returns false if there is nothing to send.
bool Decoder::submit_one() {
  // The codec has given all pictures of the last packet. If there were none, the packet says that
  // nothing changes.
  if (silent_ != 0 && has_decoded_ && gives_at_once()) matcher_.leave_out(silent_);
  silent_ = 0;
  if (!refusal_.empty() || (unsent_.empty() && !span_.must_end())) return false;
  if (unsent_.empty()) {
    if (end_without_draining()) return true;
    static_cast<void>(send_to_codec(nullptr));
    span_.set_ended();
    return true;
  }
  const TaggedPacket next = unsent_.pop();
  if (next.packet->size <= 0) return true;  // FFmpeg would treat an empty packet as the end
  span_.see(*next.packet, *context_, *demuxer_.video().codecpar);
  const int sent = submit(*next.packet, next.tag);
  if (sent == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (sent >= 0) silent_ = next.tag;
  return true;
}

/// Returns whether FFmpeg's decoder gives a packet's picture, or an error, before it takes the next
/// packet. Returns false for codecs whose packets are all whole pictures, because there a packet
/// without a picture is damaged.
bool Decoder::gives_at_once() const {
  if ((context_->codec->capabilities & AV_CODEC_CAP_DELAY) != 0 ||
      (context_->active_thread_type & FF_THREAD_FRAME) != 0 || context_->has_b_frames != 0)
    return false;
  const AVCodecDescriptor* const codec = avcodec_descriptor_get(context_->codec_id);
  return codec != nullptr && (codec->props & AV_CODEC_PROP_INTRA_ONLY) == 0;
}

int Decoder::submit(AVPacket& packet, std::int64_t tag) {
  compat::set_tag(*context_, packet, tag);
  const int sent = send_to_codec(&packet);
  check_size();
  check_decoded(sent);
  return sent;
}

/// Sends another key picture as long as pictures of the stream are held back. Returns false if the
/// stream must be ended by FFmpeg's drain.
bool Decoder::end_without_draining() {
  if (!span_.ends_by_key_pictures() || matcher_.has_decode_only()) return false;
  if (!matcher_.has_open()) return span_.try_idle();
  const UniqueAVPacket key = span_.next_key_picture();
  return key && submit(*key, PictureMatcher::kNoPacket) >= 0;
}

void Decoder::end_by_key_pictures() {
  const AVCodecParameters& video = *demuxer_.video().codecpar;
  if (video.codec_id == AV_CODEC_ID_H264 && compat::kMayGoOn) span_.end_by_key_pictures(video);
}

void Decoder::go_on_with(UniqueCodecContext context) {
  context_ = std::move(context);
  context_->pkt_timebase = demuxer_.video().time_base;
  span_.set_idle();
}

UniqueCodecContext Decoder::take_idle() { return span_.idle() ? std::move(context_) : nullptr; }

int Decoder::send_to_codec(AVPacket* packet) { return avcodec_send_packet(context_.get(), packet); }

int Decoder::receive_from_codec(AVFrame& picture) {
  return avcodec_receive_frame(context_.get(), &picture);
}

void Decoder::flush_codec() { avcodec_flush_buffers(context_.get()); }

bool Decoder::is_damaged(const AVFrame& picture) {
  return picture.decode_error_flags != 0 || (picture.flags & AV_FRAME_FLAG_CORRUPT) != 0;
}

PictureFacts Decoder::facts_of(const AVFrame& picture) const {
  return {{picture.width, picture.height},
          static_cast<AVPixelFormat>(picture.format),
          compat::is_interlaced(picture)};
}

void Decoder::open(const AVCodec& codec, int threads,
                   const std::function<void(AVCodecContext&)>& prepare) {
  context_ = open_codec_of(demuxer_, codec, threads, prepare);
}

void Decoder::describe(const AVCodec& codec) {
  context_ = new_codec_context(&codec);
  context_->pkt_timebase = demuxer_.video().time_base;
}

void Decoder::check_size() const {
  const std::int64_t most = demuxer_.max_pixels();
  if (const std::optional<Size> refused = take_refused_size())
    check_pixels(demuxer_.url(), *refused, most);
  check_pixels(demuxer_.url(), {context_->coded_width, context_->coded_height}, most);
}

/// Returns the next picture that FFmpeg has ready; nullptr if there is none.
UniqueAVFrame Decoder::receive() {
  while (refusal_.empty()) {
    UniqueAVFrame picture = new_av_frame();
    const int received = receive_from_codec(*picture);
    if (received == AVERROR(EAGAIN) || received == AVERROR_EOF) return nullptr;
    if (received < 0) silent_ = 0;
    check_size();
    check_decoded(received);
    if (received == AVERROR(ENOMEM)) throw std::bad_alloc();
    // After an error the packet's entry stays open, so the packet counts as lost. FFmpeg also
    // returns pictures that it couldn't begin to decode. On a device, such pictures have no memory.
    if (received < 0 || picture->data[0] == nullptr) continue;
    forget_unknown_tags(*picture);
    return picture;
  }
  return nullptr;
}

}  // namespace facepipe::video
