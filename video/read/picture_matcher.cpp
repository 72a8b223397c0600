#include "video/read/picture_matcher.h"

#include <utility>

#include "core/timing.h"
#include "video/ffmpeg_compat.h"

namespace facepipe::video {

PictureMatcher::PictureMatcher(const Demuxer& demuxer, std::optional<double> start_s,
                               std::optional<double> end_s, Notices& notices)
    : demuxer_(demuxer),
      timeline_(demuxer, start_s, end_s, notices),
      unchanged_(*demuxer.video().codecpar) {}

std::int64_t PictureMatcher::enter(const ReadPacket& read, bool second_field) {
  const AVPacket& packet = *read.packet;
  Ledger::Entry entry;
  entry.shown = false;
  entry.segment = read.segment;
  if (second_field) {
    ledger_.extend_last(packet.duration);
  } else if (!read.decode_only) {
    entry.duration = packet.duration;
    const std::int64_t stamp = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
    if (stamp != AV_NOPTS_VALUE)
      entry.time_s = static_cast<double>(stamp) * av_q2d(demuxer_.video().time_base);
    const bool unchanged = unchanged_.is_one(packet);
    entry.shown = !unchanged && (packet.flags & AV_PKT_FLAG_DISCARD) == 0 &&
                  timeline_.in_range(stamp, demuxer_.video().time_base);
    entry.times[StageId::read] = read.read;
    entry.times[StageId::decode].begin = Clock::now();
  }
  sent_segment_ = read.segment;
  const std::int64_t tag = ledger_.enter(entry);
  if (read.decode_only) decode_only_.insert(tag);
  return tag;
}

void PictureMatcher::join_field(const ReadPacket& second) {
  sent_segment_ = second.segment;
  ledger_.extend_last(second.packet->duration);
}

/// Returns the picture's stamp. FFmpeg's guess can be the decoding stamp of the packet that pushed
/// the picture out. This guess is useless if that packet belongs to another segment.
std::int64_t PictureMatcher::stamp_of(const AVFrame& picture) const {
  return segment_ == sent_segment_ ? picture.best_effort_timestamp : picture.pts;
}

std::optional<DecodedPicture> PictureMatcher::match(
    UniqueAVFrame picture, const std::function<bool(const AVFrame&)>& is_damaged) {
  const std::int64_t tag = compat::tag_of(*picture);
  if (tag == kNoPacket || decode_only_.contains(tag)) return std::nullopt;
  const std::optional<Ledger::Entry> known = ledger_.strike_off(tag);
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

void PictureMatcher::restart() {
  for (const std::int64_t tag : decode_only_) static_cast<void>(ledger_.strike_off(tag));
  decode_only_.clear();
  timeline_.restart();
}

void PictureMatcher::begin_again() {
  ledger_ = {};
  passed_end_ = false;
}

bool PictureMatcher::past_end(const AVPacket& packet) const {
  return passed_end_ || timeline_.after_range(packet.dts, demuxer_.video().time_base);
}

bool PictureMatcher::in_range(const AVPacket& packet, AVRational time_base) const {
  return timeline_.in_range(packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts, time_base);
}

}  // namespace facepipe::video
