#include "video/read/frame_source.h"
#include "video/frames/working_format.h"
#include "video/read/cpu_decoder.h"

#include <string_view>
#include <utility>

#include "core/error.h"
#include "video/bitstream/packet_bytes.h"
#include "video/frames/pictures.h"
#include "video/read/first_picture.h"
#include "video/read/start_search.h"
#include "video/read/stored_orientation.h"

namespace facepipe::video {
namespace {

FirstPicture begin(Demuxer& demuxer, const FrameSourceOptions& options, Notices& notices) {
  if (options.stream) demuxer.work_on(*options.stream);
  for (unsigned i = 0; i < demuxer.format().nb_streams; ++i)
    if (static_cast<int>(i) != demuxer.video_index()) demuxer.discard(static_cast<int>(i));
  if (options.near_s && !demuxer.lacks_time_stamps()) seek_to_start(demuxer, *options.near_s);
  DecoderOptions decoding;
  decoding.threads = options.threads;
  decoding.only_what_others_need = options.only_what_others_need;
  const OpenDecoder open = [&](DecoderChoice) {
    return make_cpu_decoder(demuxer, decoding, notices);
  };
  const WantsPacket wants_none = [](const AVPacket&, const Decoder&) { return false; };
  return read_first_picture(demuxer, open, DecoderChoice::cpu, wants_none, notices);
}

}  // namespace

FrameSource::FrameSource(const std::string& input, const FrameSourceOptions& options,
                         Notices& notices, const std::stop_token& stop)
    : demuxer_(input, stop, options.references, options.max_pixels), stop_(stop) {
  FirstPicture found = begin(demuxer_, options, notices);
  if (stop_.stop_requested()) throw Stopped();
  if (demuxer_.failure()) throw Error(*demuxer_.failure());
  if (!found.picture) throw Error(ErrorKind::input, input + ": no frame could be decoded");
  for (const std::string& sentence : demuxer_.left_out()) notices.add(sentence);
  decoder_ = std::move(found.decoder);
  packets_ = std::move(found.packets);
  read_all_ = found.ended;
  const AVFrame& picture = *found.picture->picture;
  const PictureFacts facts = decoder_->facts_of(picture);
  target_.size = facts.size;
  target_.format = working_format(facts.format);
  target_.orientation = orientation_of(demuxer_, picture, notices);
  maker_ = decoder_->make_frames(picture, target_);
  first_ = std::move(found.picture);
  for (const ReadPacket& packet : found.kept) look_for_alpha(packet.packet.get());
}

std::optional<DecodedFrame> FrameSource::next() {
  if (first_) return maker_->make(*std::exchange(first_, std::nullopt));
  while (true) {
    if (stop_.stop_requested()) throw Stopped();
    if (std::optional<DecodedPicture> picture = decoder_->next())
      return maker_->make(std::move(*picture));
    if (!send_next()) return std::nullopt;
  }
}

/// Sends a packet or the end to the decoder. Returns false if the end was sent before.
bool FrameSource::send_next() {
  if (!packets_.empty()) {
    decoder_->send(packets_.front());
    packets_.pop_front();
    return true;
  }
  if (finishing_) return false;
  if (const std::optional<ReadPacket> packet = read_video()) {
    decoder_->send(*packet);
    return true;
  }
  finishing_ = true;
  decoder_->finish();
  return true;
}

/// Returns the next packet of the video; nullopt at the end.
std::optional<ReadPacket> FrameSource::read_video() {
  while (!read_all_) {
    ReadPacket packet = read_packet(demuxer_);
    if (stop_.stop_requested()) throw Stopped();
    if (demuxer_.failure()) throw Error(*demuxer_.failure());
    read_all_ = packet.packet == nullptr;
    if (read_all_ || packet.packet->stream_index != demuxer_.video_index()) continue;
    look_for_alpha(packet.packet.get());
    return packet;
  }
  return std::nullopt;
}

/// Notes whether a packet has alpha in its side data. Matroska keeps alpha in the BlockAdditional
/// with the number 1. FFmpeg puts that number before the data.
void FrameSource::look_for_alpha(const AVPacket* packet) {
  constexpr std::string_view kNumber("\0\0\0\0\0\0\0\1", 8);
  if (packet == nullptr || has_other_alpha_) return;
  const Bytes added = side_data_of(*packet, AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL);
  has_other_alpha_ = added.size() > kNumber.size() && begins_with(added, kNumber);
}

std::vector<OtherPictures> FrameSource::other_pictures() const {
  std::vector<OtherPictures> all = video::other_pictures(demuxer_);
  if (has_other_alpha_ && !has_alpha(target_.format))
    all.push_back(unreadable("alpha of stream " + std::to_string(demuxer_.video_index()) + " (" +
                                 avcodec_get_name(demuxer_.video().codecpar->codec_id) + ")",
                             "the decoder leaves it out"));
  return all;
}

double FrameSource::seconds(const Frame& frame) const {
  return frame.seconds() - static_cast<double>(demuxer_.origin_us()) / AV_TIME_BASE;
}

double FrameSource::duration_s() const {
  return static_cast<double>(demuxer_.duration_us()) / AV_TIME_BASE;
}

FrameLedger FrameSource::ledger() const {
  FrameLedger ledger = decoder_->ledger();
  ledger.ended_early = !demuxer_.shortfall().empty();
  return ledger;
}

}  // namespace facepipe::video
