#include "pipeline/lane.h"

#include <chrono>
#include <string>
#include <utility>

#include "core/error.h"

namespace facepipe {
namespace {

// How long a lane that has decoded a segment waits for the next before it asks its decoder for the
// pictures that it holds back, which may cost more: NVDEC's for H.264 then begins anew, which takes
// 100 ms on an H100. It must not wait for ever: reading may have to wait for these pictures.
constexpr auto kPatience = std::chrono::milliseconds(20);

}  // namespace

Lane::Lane(int number, LaneParts parts, int frames_in_flight, Segments& segments, Order& order,
           std::stop_token failed)
    : number_(number),
      parts_(std::move(parts)),
      failed_(std::move(failed)),
      segments_(segments),
      order_(order),
      in_flight_(frames_in_flight),
      decoded_(frames_in_flight, failed_),
      started_(frames_in_flight, failed_),
      detected_(frames_in_flight, failed_),
      drawn_(frames_in_flight, failed_) {}

void Lane::add_threads(Runner& runner) {
  const auto measured = [&](StageId stage, Clock::duration& total, void (Lane::*body)()) {
    runner.add(std::string(to_string(stage)), [this, &total, body] {
      const ScopedWork work(total);
      (this->*body)();
    });
  };
  measured(StageId::decode, decoding_, &Lane::decode);
  runner.add("preprocess", [this] { preprocess(); });
  runner.add("detect", [this] { detect(); });
  if (!parts_.encoder) return;
  runner.add("overlay", [this] { draw(); });
  measured(StageId::encode, encoding_, &Lane::encode);
}

void Lane::decode() {
  std::optional<std::shared_ptr<Segment>> segment = segments_.pop();
  while (segment) {
    decode_segment(**segment);
    segment = segments_.pop_within(kPatience);
    if (segment && (*segment)->alone) continue;
    finish();
    if (!segment) segment = segments_.pop();
    if (segment) parts_.decoder->restart();
  }
  decoded_.close();
}

void Lane::decode_segment(Segment& segment) {
  begun_.push_back({segment.number, 0, {}});
  if (parts_.first) push_frame(std::move(*std::exchange(parts_.first, std::nullopt)), {});
  push_decoded();
  while (std::optional<SegmentInput> input = segment.input.pop()) {
    if (auto* const side = std::get_if<SidePacket>(&*input)) {
      give(std::move(*side));
    } else {
      parts_.decoder->send(std::get<ReadPacket>(*input));
      push_decoded();
    }
  }
}

/// Of all segments that were sent.
void Lane::finish() {
  parts_.decoder->finish();
  push_decoded();
  while (!begun_.empty()) end_first();
}

/// Of the segments that were sent and have not ended, the first.
void Lane::end_first() {
  order_.expect(begun_.front().segment, begun_.front().frames);
  begun_.pop_front();
  if (begun_.empty()) return;
  Begun& next = begun_.front();
  for (SidePacket& packet : std::exchange(next.sides, {}))
    order_.give(next.segment, std::move(packet), 0);
}

/// To the last segment that was begun. It doesn't wait for room behind the head while the decoder
/// may hold pictures of a segment before: that may be the head, which then would never end.
void Lane::give(SidePacket packet) {
  Begun& last = begun_.back();
  if (begun_.size() > 1)
    last.sides.push_back(std::move(packet));
  else
    order_.give(last.segment, std::move(packet), last.frames);
}

/// What the decoder has ready. A picture is asked for when there is a place for it: one that waits
/// behind others within the decoder costs no time after it was decoded.
void Lane::push_decoded() {
  while (true) {
    if (!place_) place_ = in_flight_.acquire(failed_);
    std::optional<DecodedPicture> picture = parts_.decoder->next();
    if (!picture) break;
    // Its first picture comes behind the last of the segment before.
    while (begun_.size() > 1 && picture->segment > begun_.front().segment) end_first();
    const Timing coded = picture->coded;
    push_frame(parts_.frames->make(std::move(*picture)), coded);
  }
  if (!parts_.decoder->refusal().empty())
    throw Error(ErrorKind::device, "lane " + std::to_string(number_) + ": " +
                                       parts_.decoder->refusal() + "; fewer --lanes may do");
}

void Lane::push_frame(DecodedFrame decoded, const Timing& coded) {
  WorkItem item;
  item.frame = std::move(decoded.frame);
  item.record.times = decoded.times;
  item.record.index = item.frame.index;
  item.record.pts_s = item.frame.seconds();
  item.record.size = item.frame.upright();
  item.record.lane = number_;
  item.segment = begun_.front().segment;
  item.coded = coded;
  item.in_flight = place_ ? std::move(place_) : in_flight_.acquire(failed_);
  order_.admit(item.segment);
  ++begun_.front().frames;
  decoded_.push(std::move(item));
}

void Lane::preprocess() {
  while (std::optional<WorkItem> item = decoded_.pop()) {
    parts_.processor->start(*item, failed_);
    started_.push(std::move(*item));
  }
  started_.close();
}

void Lane::detect() {
  while (std::optional<WorkItem> item = started_.pop()) {
    parts_.processor->finish(*item);
    if (parts_.encoder)
      detected_.push(std::move(*item));
    else
      give({nullptr, std::move(item->record)}, item->segment, item->coded);
  }
  detected_.close();
}

void Lane::draw() {
  while (std::optional<WorkItem> item = detected_.pop()) {
    parts_.processor->draw(*item);
    drawn_.push(std::move(*item));
  }
  drawn_.close();
}

void Lane::encode() {
  struct Encoding {
    std::int64_t segment;
    Timing coded;
  };
  std::deque<Encoding> encoding;  // that the encoder holds
  std::int64_t last = -1;
  const auto sink = [&](EncodedFrame encoded) {
    const Encoding oldest = encoding.front();
    encoding.pop_front();
    give(std::move(encoded), oldest.segment, oldest.coded);
  };
  while (std::optional<WorkItem> item = drawn_.pop()) {
    last = item->segment;
    encoding.push_back({item->segment, item->coded});
    parts_.encoder->encode(std::move(item->frame), std::move(item->record), sink);
  }
  parts_.encoder->flush(sink);
  if (last >= 0) order_.complete(last);  // an encoder may have left frames out
}

void Lane::give(EncodedFrame encoded, std::int64_t segment, const Timing& coded) {
  order_.give(segment, FinishedFrame{std::move(encoded), coded, Clock::now()});
}

}  // namespace facepipe
