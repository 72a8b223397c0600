#include "pipeline/lanes/begun_segments.h"

#include <utility>

#include "core/error.h"
#include "video/ffmpeg.h"

namespace facepipe::pipeline {
namespace {

// The most bytes of other streams' packets that are kept for one segment.
constexpr std::int64_t kMostWaiting = std::int64_t{64} << 20;

}  // namespace

void BegunSegments::begin(const Segment& segment) {
  begun_.push_back({segment.number(), segment.frames_before(), 0, segment.given(), {}, 0});
}

void BegunSegments::end_first() {
  const Begun& first = begun_.front();
  if (connections_.tracks) connections_.tracks->expect(first.segment, first.frames);
  if (connections_.order.expect(first.segment, first.frames))
    connections_.segments.done(first.segment);
  begun_.pop_front();
  if (begun_.empty()) return;
  Begun& next = begun_.front();
  for (SidePacket& packet : std::exchange(next.waiting, {}))
    connections_.order.give(next.segment, std::move(packet), 0, stopped_);
}

bool BegunSegments::count_frame() {
  Begun& first = begun_.front();
  return ++first.frames > first.given.frames;
}

void BegunSegments::give(SidePacket packet) {
  Begun& last = begun_.back();
  if (last.given.sides > 0)
    --last.given.sides;
  else if (begun_.size() > 1)
    hold(last, std::move(packet));
  else
    connections_.order.give(last.segment, std::move(packet), last.frames, stopped_);
}

/// Keeps a packet. If no picture of the segment can be decoded, the segment's packets are kept
/// until DecodeStage::finish().
void BegunSegments::hold(Begun& segment, SidePacket packet) const {
  segment.waiting_bytes += video::memory_of(*packet.packet);
  if (segment.waiting_bytes > kMostWaiting)
    throw Error(ErrorKind::input, url_ +
                                      ": many packets of the video have given no picture, and the "
                                      "packets of other streams that wait for one fill the memory");
  segment.waiting.push_back(std::move(packet));
}

}  // namespace facepipe::pipeline
