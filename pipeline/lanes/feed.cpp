#include "pipeline/lanes/feed.h"

#include <utility>

namespace facepipe::pipeline {
namespace {

// A limit with two uses. If packets of this size wait in a segment for its lane, reading waits,
// too. A segment also keeps taken packets for another lane, up to this size. A longer segment can't
// be given back.
constexpr std::int64_t kSegmentBytes = std::int64_t{64} << 20;

}  // namespace

Feed::Feed(const AVCodecParameters* cut, int lanes, int packets, Segments& segments, Order& order,
           std::stop_token stop, const PartJob* part, std::int64_t before,
           FramesBefore::InRange in_range)
    : one_lane_(lanes == 1),
      limits_{one_lane_ ? packets : kSegmentBytes, segments.may_return() ? kSegmentBytes : 0},
      segments_(segments),
      order_(order),
      stop_(std::move(stop)),
      before_(std::move(in_range)) {
  if (part != nullptr) part_.emplace(*part, before);
  if (cut != nullptr)
    segmenter_.emplace(
        *cut, part != nullptr && one_lane_ ? std::optional(part->cuts) : std::nullopt, before);
  // At once: if the first frame is the whole video, no packet follows.
  if (!part_) begin_segment(false);
}

void Feed::begin_segment(bool starts_independently) {
  open_ =
      std::make_shared<Segment>(begun_++, starts_independently, limits_, stop_, before_.frames());
  segments_.push(open_);
  for (SidePacket& packet : std::exchange(side_of_next_, {})) give(std::move(packet));
}

/// Ends the open segment. If none is open, a segment has ended that doesn't belong to the part.
void Feed::end_segment() {
  if (open_) std::exchange(open_, nullptr)->close();
  for (video::ReadPacket& packet : std::exchange(of_next_, {})) push(std::move(packet));
}

void Feed::give(video::ReadPacket packet) {
  if (!segmenter_) return push(std::move(packet));
  if (part_) part_->see(*packet.packet);
  segmenter_->send(std::move(packet));
  pass_on();
}

void Feed::give(SidePacket packet) {
  // With one lane the packet goes to Order at once. It must not wait for the lane's frames, because
  // the lane's encoder may look ahead without limit.
  if (!segmenter_) return order_.give(0, std::move(packet), 0);
  if (!open_) return side_of_next_.push_back(std::move(packet));
  const std::int64_t cost = video::memory_of(*packet.packet);
  open_->push(std::move(packet), cost);
}

/// Takes packets from the segmenter, and puts each into its segment. Packets of the next segment
/// are kept until the segment before it ends. So the open segment can always end, even if no lane
/// has taken the next segment, and the frames before a segment are known when it begins.
void Feed::pass_on() {
  while (std::optional<video::SegmentPacket> next = segmenter_->next()) {
    const bool of_next = next->segment > before_.open_segment();
    before_.see(*next);
    const bool taken = !part_ || part_->take(*next);
    if (!next->read.packet)
      end_segment();
    else if (taken && of_next)
      of_next_.push_back(std::move(next->read));
    else if (taken)
      push(std::move(next->read));
  }
}

void Feed::push(video::ReadPacket packet) {
  if (!open_) begin_segment(packet.starts_independently);
  const std::int64_t cost = one_lane_ ? 1 : video::memory_of(*packet.packet);
  open_->push(std::move(packet), cost);
}

void Feed::finish() {
  if (segmenter_) {
    segmenter_->finish();
    pass_on();
  }
  if (!open_ && !side_of_next_.empty()) begin_segment(false);
  if (open_) end_segment();
  segments_.close();
  order_.end(begun_);
}

}  // namespace facepipe::pipeline
