#include "video/bitstream/segments.h"

#include <algorithm>
#include <utility>

namespace facepipe::video {

Segmenter::Segmenter(const AVCodecParameters& parameters,
                     std::optional<std::vector<std::int64_t>> cuts, std::int64_t first)
    : entries_(parameters),
      first_prelude_(entries_.prelude()),
      only_(std::move(cuts)),
      first_(first),
      ordinal_(first) {}

void Segmenter::send(ReadPacket packet) {
  cuts_.send(entries_.examine(*packet.packet));
  undecided_.push_back(std::move(packet));
}

void Segmenter::finish() {
  cuts_.finish();
  finished_ = true;
}

std::optional<SegmentPacket> Segmenter::next() {
  while (ready_.empty()) {
    std::optional<Placement> placement = cuts_.next();
    if (!placement) break;
    ReadPacket packet = std::move(undecided_.front());
    undecided_.pop_front();
    route(std::move(packet), *placement);
    ++ordinal_;
  }
  const bool all_given = ready_.empty() && undecided_.empty() && finished_;
  if (all_given && !std::exchange(ended_, true)) push_end(segment_);
  if (ready_.empty()) return std::nullopt;
  SegmentPacket packet = std::move(ready_.front());
  ready_.pop_front();
  return packet;
}

/// Returns whether the stream is cut before the next packet, which is a safe place.
bool Segmenter::is_cut() const { return !only_ || std::ranges::binary_search(*only_, ordinal_); }

void Segmenter::route(ReadPacket packet, const Placement& placement) {
  if (placement.begins) cut_ = is_cut();
  const bool begins = placement.begins && cut_;
  if (begins) {
    ++segment_;
    previous_is_open_ = true;
  }
  // Behind a safe place that is no cut, all packets belong to the segment.
  const bool leading = placement.leading && cut_;
  if (placement.run_on && cut_)
    push(segment_ - 1, {reference(*packet.packet), packet.read, !leading});
  else if (std::exchange(previous_is_open_, false))
    push_end(segment_ - 1);
  const Prelude* prelude = begins ? placement.prelude.get() : nullptr;
  if (ordinal_ == first_) prelude = first_prelude_.get();
  if (prelude != nullptr) packet.packet = with_prelude(*packet.packet, *prelude);
  packet.decode_only = leading;
  packet.starts_independently = begins && placement.starts_independently;
  push(segment_, std::move(packet), begins && adds_nothing(prelude));
}

bool Segmenter::adds_nothing(const Prelude* prelude) const {
  return prelude == first_prelude_.get() || (prelude != nullptr && *prelude == *first_prelude_);
}

void Segmenter::push(std::int64_t segment, ReadPacket packet, bool needs_nothing_before) {
  packet.segment = segment;
  ready_.push_back({segment, ordinal_, std::move(packet), needs_nothing_before});
}

void Segmenter::push_end(std::int64_t segment) { push(segment, {}); }

}  // namespace facepipe::video
