#include "video/bitstream/cuts.h"

#include <algorithm>
#include <utility>

namespace facepipe::video {

void CutFinder::send(PacketFacts packet) {
  const bool by_dts = packet.pts == AV_NOPTS_VALUE && packet.has_dts && !packet.second_field;
  stamped_ = stamped_ || packet.pts != AV_NOPTS_VALUE || packet.has_dts;
  stamped_by_dts_ = stamped_by_dts_ || by_dts;
  waiting_.push_back({std::move(packet), {}});
}

std::optional<Placement> CutFinder::next() {
  if (waiting_.empty()) return std::nullopt;
  if (waiting_.front().facts.entry != Entry::none && since_cut_ >= kShortestSegment) {
    const bool enough = std::ssize(waiting_) >= kShortestSegment;
    if (!enough && !finished_) return std::nullopt;
    if (enough) cut_if_safe();
  }
  Placement placement = std::move(waiting_.front().placement);
  waiting_.pop_front();
  since_cut_ = placement.begins ? 1 : since_cut_ + 1;
  return placement;
}

/// Makes a cut before the first waiting packet, if that is safe.
void CutFinder::cut_if_safe() {
  const PacketFacts& entry = waiting_.front().facts;
  if (entry.entry == Entry::by_stamps && !has_stamps()) return;
  if (stamped_ && entry.pts == AV_NOPTS_VALUE && !entry.has_dts) return;
  std::int64_t last_leading = 0;
  for (std::int64_t i = 1; i < kShortestSegment; ++i) {
    Packet& packet = waiting_[static_cast<std::size_t>(i)];
    // Stop at an entry by_type, because packets after that entry can lead only that entry.
    if (packet.facts.entry == Entry::by_type) break;
    packet.placement.leading = leads(i);
    if (packet.placement.leading) last_leading = i;
  }
  // If a packet after kMostRunOn leads, more leading packets can follow. Stamps that jump back have
  // this effect.
  const bool safe = last_leading <= kMostRunOn;
  const bool runs_on = last_leading > 0 || stamped_by_dts_;
  for (std::int64_t i = 0; i < kShortestSegment; ++i) {
    Placement& placement = waiting_[static_cast<std::size_t>(i)].placement;
    placement.run_on = safe && runs_on && i <= last_leading;
    placement.leading = placement.leading && safe;
  }
  Packet& first = waiting_.front();
  first.placement.begins = safe;
  first.placement.starts_independently = safe && first.facts.entry == Entry::starts_independently;
  if (safe) first.placement.prelude = first.facts.prelude;
}

bool CutFinder::has_stamps() const {
  return std::all_of(waiting_.begin(), waiting_.begin() + kShortestSegment,
                     [](const Packet& packet) {
                       return packet.facts.second_field || packet.facts.pts != AV_NOPTS_VALUE;
                     });
}

/// Returns whether a packet's picture is shown before the picture of the first waiting packet.
bool CutFinder::leads(std::int64_t index) const {
  const PacketFacts& first = waiting_.front().facts;
  const PacketFacts& packet = waiting_[static_cast<std::size_t>(index)].facts;
  if (packet.second_field) return waiting_[static_cast<std::size_t>(index - 1)].placement.leading;
  if (first.entry == Entry::by_type) return packet.leading;
  return first.entry == Entry::by_stamps && packet.pts < first.pts;
}

}  // namespace facepipe::video
