#include "pipeline/lanes/feed.h"

#include <utility>

namespace facepipe::pipeline {
namespace {

// Reading waits if so many bytes of a segment's packets wait for its lane. Of those that the lane
// has taken, so many are kept for another lane: a longer segment can't be given back.
constexpr std::int64_t kSegmentBytes = std::int64_t{64} << 20;

}  // namespace

Feed::Feed(const AVCodecParameters* cut, int packets, Segments& segments, Order& order,
           std::stop_token stop)
    : limits_{cut != nullptr ? kSegmentBytes : packets, segments.may_return() ? kSegmentBytes : 0},
      segments_(segments),
      order_(order),
      stop_(std::move(stop)) {
  if (cut != nullptr) segmenter_.emplace(*cut);
  begin_segment(false);  // the first frame may have been all that there is
}

void Feed::begin_segment(bool starts_independently) {
  open_ = std::make_shared<Segment>(begun_++, starts_independently, limits_, stop_);
  segments_.push(open_);
  for (SidePacket& packet : std::exchange(side_of_next_, {})) give(std::move(packet));
}

void Feed::end_segment() {
  std::exchange(open_, nullptr)->close();
  for (video::ReadPacket& packet : std::exchange(of_next_, {})) push(std::move(packet));
}

void Feed::give(video::ReadPacket packet) {
  if (!segmenter_) return push(std::move(packet));
  segmenter_->send(std::move(packet));
  pass_on();
}

void Feed::give(SidePacket packet) {
  // Not through a decoder whose encoder may look ahead as far as it likes.
  if (!segmenter_) return order_.give(0, std::move(packet), 0);
  if (!open_) return side_of_next_.push_back(std::move(packet));
  const std::int64_t cost = video::memory_of(*packet.packet);
  open_->push(std::move(packet), cost);
}

/// What the segmenter has decided. It decides about all packets that two segments share at once:
/// so one segment's end never waits for the next one's lane.
void Feed::pass_on() {
  while (std::optional<video::SegmentPacket> next = segmenter_->next()) {
    const bool of_next = open_ && next->segment > open_->number();
    if (!next->read.packet)
      end_segment();
    else if (of_next)
      of_next_.push_back(std::move(next->read));
    else
      push(std::move(next->read));
  }
}

void Feed::push(video::ReadPacket packet) {
  if (!open_) begin_segment(packet.starts_independently);
  const std::int64_t cost = segmenter_ ? video::memory_of(*packet.packet) : 1;
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
