#include "video/stream_decoder.h"

extern "C" {
#include <libavutil/display.h>
}

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "video/ffmpeg_compat.h"
#include "video/picture_limit.h"

namespace facepipe {
namespace {

const std::int32_t* display_matrix(const AVStream& stream) {
  for (const AVPacketSideData& entry : compat::stream_side_data(stream))
    if (entry.type == AV_PKT_DATA_DISPLAYMATRIX && entry.size >= 9 * sizeof(std::int32_t))
      return reinterpret_cast<const std::int32_t*>(entry.data);
  return nullptr;
}

const std::int32_t* display_matrix(const AVFrame& picture) {
  const AVFrameSideData* entry = av_frame_get_side_data(&picture, AV_FRAME_DATA_DISPLAYMATRIX);
  const bool whole = entry != nullptr && entry->size >= 9 * sizeof(std::int32_t);
  return whole ? reinterpret_cast<const std::int32_t*>(entry->data) : nullptr;
}

int exif_orientation(const AVFrame& picture) {
  const AVDictionaryEntry* entry = av_dict_get(picture.metadata, "Orientation", nullptr, 0);
  if (entry == nullptr) return 0;
  const char* text = entry->value;
  while (*text == ' ' || *text == '\n') ++text;
  int tag = 0;
  std::from_chars(text, text + std::strlen(text), tag);
  return tag;
}

FieldOrder field_order_of(const AVFrame& picture) {
  if (!compat::is_interlaced(picture)) return FieldOrder::progressive;
  return compat::is_top_field_first(picture) ? FieldOrder::top_first : FieldOrder::bottom_first;
}

/// Both fields of a picture in one packet; stamps and side data stay the first's.
void append_field(AVPacket& first, const AVPacket& second) {
  const int size = first.size;
  if (second.size <= 0) return;
  check_av(av_grow_packet(&first, second.size), ErrorKind::input, "a picture's two fields");
  std::memcpy(first.data + size, second.data, static_cast<std::size_t>(second.size));
  first.flags |= second.flags & AV_PKT_FLAG_CORRUPT;
}

}  // namespace

StreamDecoder::StreamDecoder(const Demuxer& demuxer, const DecoderOptions& options,
                             TargetChooser choose_target, Notices& notices)
    : demuxer_(demuxer),
      options_(options),
      choose_target_(std::move(choose_target)),
      notices_(notices),
      timeline_(demuxer, options.start_s, options.end_s, notices),
      fields_(*demuxer.video().codecpar),
      joins_fields_(demuxer.video().codecpar->codec_id == AV_CODEC_ID_H264) {}

// FFmpeg's threads decode a packet each. Which macroblocks of an H.264 picture have been seen is
// noted by the thread that saw them: given the second field alone, another thread takes the first
// for missing, and flags a whole picture as damaged. With both fields in one packet, as Matroska
// stores them, the flags are those of one thread.
void StreamDecoder::decode(const AVPacket& packet, const Interval& read, const Sink& sink) {
  const bool second = fields_.is_second_field(packet);
  if (second && waiting_.packet) {
    append_field(*waiting_.packet, packet);
    ledger_.extend_last(packet.duration);
    submit_waiting(sink);
    return;
  }
  submit_waiting(sink);  // its second never came
  const std::int64_t tag = enter(packet, read, second);
  waiting_ = {reference(packet), tag};
  if (!joins_fields_ || !fields_.waits_for_second()) submit_waiting(sink);
}

void StreamDecoder::submit_waiting(const Sink& sink) {
  if (!waiting_.packet) return;
  const Tagged field = std::exchange(waiting_, {});
  submit(*field.packet, field.tag, sink);
}

void StreamDecoder::submit(AVPacket& packet, std::int64_t tag, const Sink& sink) {
  compat::set_tag(*context_, packet, tag);
  const int sent = avcodec_send_packet(context_.get(), &packet);
  check_size();
  check_decoded(sent);
  if (sent == AVERROR(ENOMEM)) throw std::bad_alloc();
  receive(sink);
}

void StreamDecoder::flush(const Sink& sink) {
  submit_waiting(sink);
  avcodec_send_packet(context_.get(), nullptr);
  receive(sink);
}

bool StreamDecoder::past_end(const AVPacket& packet) const {
  return timeline_.after_range(packet.dts, demuxer_.video().time_base);
}

bool StreamDecoder::in_range(const AVPacket& packet, AVRational time_base) const {
  return timeline_.in_range(packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts, time_base);
}

const AVCodec& StreamDecoder::usual_codec() const {
  const AVCodecID id = demuxer_.video().codecpar->codec_id;
  const AVCodec* codec = avcodec_find_decoder(id);
  if (codec == nullptr)
    throw Error(ErrorKind::input, demuxer_.url() + ": no decoder for " + avcodec_get_name(id));
  return *codec;
}

void StreamDecoder::open(const AVCodec& codec, int threads,
                         const std::function<void(AVCodecContext&)>& prepare) {
  context_.reset(avcodec_alloc_context3(&codec));
  if (!context_) throw std::bad_alloc();
  check_av(avcodec_parameters_to_context(context_.get(), demuxer_.video().codecpar),
           ErrorKind::input, demuxer_.url());
  context_->pkt_timebase = demuxer_.video().time_base;
  context_->thread_count = threads;
  context_->max_pixels = codec_max_pixels(demuxer_.max_pixels());
  context_->flags |= AV_CODEC_FLAG_UNALIGNED;  // or the left edge's cropping is rounded
  compat::enable_tags(*context_);
  if (prepare) prepare(*context_);
  const int opened = avcodec_open2(context_.get(), &codec, nullptr);
  if (opened == AVERROR(EAGAIN))
    throw Error(ErrorKind::internal,
                demuxer_.url() + ": can't start a thread: " + av_error_text(opened));
  check_av(opened, ErrorKind::input, demuxer_.url() + ": decoder " + codec.name);
}

void StreamDecoder::check_size() const {
  const std::int64_t most = demuxer_.max_pixels();
  if (const std::optional<Size> refused = take_refused_size())
    check_pixels(demuxer_.url(), *refused, most);
  check_pixels(demuxer_.url(), {context_->coded_width, context_->coded_height}, most);
}

std::int64_t StreamDecoder::enter(const AVPacket& packet, const Interval& read, bool second_field) {
  if (second_field) {
    ledger_.extend_last(packet.duration);
    Ledger::Entry second;
    second.shown = false;
    return ledger_.enter(second);
  }
  Ledger::Entry entry;
  entry.duration = packet.duration;
  const std::int64_t stamp = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  entry.shown = (packet.flags & AV_PKT_FLAG_DISCARD) == 0 &&
                timeline_.in_range(stamp, demuxer_.video().time_base);
  entry.times[StageId::read] = read;
  entry.times[StageId::decode].begin = Clock::now();
  return ledger_.enter(entry);
}

void StreamDecoder::receive(const Sink& sink) {
  while (true) {
    UniqueAVFrame picture = new_av_frame();
    const int received = avcodec_receive_frame(context_.get(), picture.get());
    if (received == AVERROR(EAGAIN) || received == AVERROR_EOF) return;
    check_size();
    check_decoded(received);
    if (received == AVERROR(ENOMEM)) throw std::bad_alloc();
    // The packet's entry stays open, so it counts as lost. FFmpeg also gives pictures that it
    // couldn't begin to decode: of a device's they have no memory.
    if (received < 0 || picture->data[0] == nullptr) continue;
    std::optional<DecodedFrame> frame = complete(std::move(picture));
    if (frame) sink(std::move(*frame));
  }
}

std::optional<DecodedFrame> StreamDecoder::complete(UniqueAVFrame picture) {
  const std::optional<Ledger::Entry> known = ledger_.settle(compat::tag_of(*picture));
  const Ledger::Entry entry = known.value_or(Ledger::Entry{});
  std::optional<DecodedFrame> result{std::in_place};
  result->times = entry.times;
  result->times[StageId::decode].end = Clock::now();
  const ScopedCpuTime cpu(result->times, StageId::decode);
  const bool damaged =
      picture->decode_error_flags != 0 || (picture->flags & AV_FRAME_FLAG_CORRUPT) != 0;
  const Timing timing =
      timeline_.next(picture->best_effort_timestamp,
                     entry.duration > 0 ? entry.duration : compat::duration_of(*picture));
  const bool shown = timeline_.in_range(timing.pts, timeline_.time_base());
  if (known) ledger_.correct(entry, shown);
  if (!shown) return std::nullopt;
  ledger_.count_frame(damaged);
  result->frame = make_frame(std::move(picture), timing);
  return result;
}

Frame StreamDecoder::make_frame(UniqueAVFrame picture, const Timing& timing) {
  if (!chosen_) choose_orientation(*picture);
  const FieldOrder field_order = field_order_of(*picture);
  const AVRational aspect = picture->sample_aspect_ratio.num > 0
                                ? picture->sample_aspect_ratio
                                : demuxer_.video().sample_aspect_ratio;
  Frame frame = frame_of(std::move(picture));
  frame.field_order = field_order;
  frame.orientation = orientation_;
  frame.sample_aspect = stored_aspect(aspect);
  frame.pts = timing.pts;
  frame.duration = timing.duration;
  frame.time_base = from_av(timeline_.time_base());
  frame.index = next_index_++;
  return frame;
}

bool is_turned(const AVStream& stream) {
  const std::int32_t* matrix = display_matrix(stream);
  return matrix != nullptr && !orientation_of(matrix).value_or(Orientation{}).upright();
}

void StreamDecoder::choose_orientation(const AVFrame& first) {
  const std::int32_t* matrix = display_matrix(demuxer_.video());
  if (matrix == nullptr) matrix = display_matrix(first);
  std::optional<Orientation> orientation = orientation_of_exif(exif_orientation(first));
  if (matrix != nullptr) orientation = orientation_of(matrix);
  if (!orientation) notices_.add("turned by an angle that is no quarter turn; taken as upright");
  orientation_ = orientation.value_or(Orientation{});
  const PictureTarget target = choose_target(first, orientation_);
  if (!target.rotate.upright()) orientation_ = {};
  axes_swapped_ = target.rotate.swaps_axes();
  set_target(target);
  chosen_ = true;
}

Rational StreamDecoder::stored_aspect(AVRational aspect) const {
  if (aspect.num <= 0 || aspect.den <= 0) return {1, 1};
  return from_av(axes_swapped_ ? av_inv_q(aspect) : aspect);
}

}  // namespace facepipe
