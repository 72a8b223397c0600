#include "video/read/ledger.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace facepipe::video {

FrameLedger& FrameLedger::operator+=(const FrameLedger& part) {
  packets += part.packets;
  decoded += part.decoded;
  lost += part.lost;
  damaged += part.damaged;
  written += part.written;
  ended_early = ended_early || part.ended_early;
  const std::size_t room = kMostLostTimes - std::min(kMostLostTimes, lost_at_s.size());
  const auto taken = static_cast<std::ptrdiff_t>(std::min(room, part.lost_at_s.size()));
  lost_at_s.insert(lost_at_s.end(), part.lost_at_s.begin(), part.lost_at_s.begin() + taken);
  return *this;
}

std::int64_t Ledger::enter(const Entry& packet) {
  const std::int64_t tag = ++last_tag_;
  if (packet.shown) ++segments_[packet.segment].packets;
  open_.emplace(tag, packet);
  return tag;
}

std::optional<Ledger::Entry> Ledger::strike_off(std::int64_t tag) {
  const auto closed = open_.extract(tag);
  return closed ? std::optional(closed.mapped()) : std::nullopt;
}

void Ledger::extend_last(std::int64_t duration) {
  const auto last = open_.find(last_tag_);
  if (last == open_.end()) return;
  std::int64_t& sum = last->second.duration;
  // After an overflow the duration becomes 0, which means unknown.
  if (__builtin_add_overflow(sum, duration, &sum)) sum = 0;
}

void Ledger::correct(const Entry& entry, bool shown) {
  FrameLedger& of_segment = segments_[entry.segment];
  if (entry.shown && !shown) --of_segment.packets;
  if (!entry.shown && shown) ++of_segment.packets;
}

void Ledger::leave_out(std::int64_t tag) {
  const auto silent = open_.find(tag);
  if (silent == open_.end()) return;
  correct(silent->second, false);
  silent->second.shown = false;
}

void Ledger::count_frame(bool damaged, std::int64_t segment) {
  FrameLedger& of_segment = segments_[segment];
  ++of_segment.decoded;
  if (damaged) ++of_segment.damaged;
}

FrameLedger Ledger::totals(const std::set<std::int64_t>& without) const {
  FrameLedger totals;
  for (const auto& [segment, of_segment] : segments_)
    if (!without.contains(segment)) totals += of_segment;
  for (const auto& [tag, entry] : open_) {
    if (!entry.shown || without.contains(entry.segment)) continue;
    ++totals.lost;
    if (totals.lost_at_s.size() < FrameLedger::kMostLostTimes && std::isfinite(entry.time_s))
      totals.lost_at_s.push_back(entry.time_s);
  }
  return totals;
}

}  // namespace facepipe::video
