#include "pipeline/lanes/lane.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include "core/error.h"

namespace facepipe::pipeline {
namespace {

// How long a lane that has decoded a segment waits for the next before it asks its decoder for the
// pictures that it holds back, which may cost more: NVDEC's for H.264 then decodes some key
// pictures for nothing, or begins anew, which takes 100 ms on an H100. It must not wait for ever:
// reading may have to wait for these pictures.
constexpr auto kPatience = std::chrono::milliseconds(20);

// Bytes of other streams' packets that wait for a segment's first picture.
constexpr std::int64_t kMostHeld = std::int64_t{64} << 20;

constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

}  // namespace

Lane::Lane(int number, LaneParts parts, int frames_in_flight, Segments& segments, Order& order,
           LaneDevices& devices, const std::stop_token& failed)
    : number_(number),
      parts_(std::move(parts)),
      devices_(devices),
      stopped_(stop_.get_token()),
      by_job_(failed, [this] { stop_.request_stop(); }),
      by_device_(devices.failed(device()), [this] { stop_.request_stop(); }),
      segments_(segments),
      order_(order),
      in_flight_(frames_in_flight),
      decoded_(frames_in_flight, stopped_),
      started_(frames_in_flight, stopped_),
      detected_(frames_in_flight, stopped_),
      looked_at_(kUnbounded, stopped_),
      verdicts_(kUnbounded, {}),
      drawn_(frames_in_flight, stopped_) {}

void Lane::add_threads(Runner& runner) {
  const auto add = [&](std::string name, Stage stage) {
    ++running_;
    runner.add(std::move(name), [this, stage] { run(stage); });
  };
  add(std::string(to_string(StageId::decode)), {&Lane::decode, &Lane::end_decode, &At::decode});
  add("preprocess",
      {&Lane::preprocess, &Lane::end_stage<&Lane::decoded_, &Lane::started_>, &At::preprocess});
  add("detect", {&Lane::detect, &Lane::end_stage<&Lane::started_, &Lane::detected_>, &At::detect});
  if (parts_.hiding) {
    add("look", {&Lane::look, &Lane::end_look, &At::look});
    add("overlay", {&Lane::hide, &Lane::end_hide, &At::draw});
  } else if (draws()) {
    add("overlay", {&Lane::draw, &Lane::end_stage<&Lane::detected_, &Lane::drawn_>, &At::draw});
  }
  if (parts_.encoder)
    add(std::string(to_string(StageId::encode)), {&Lane::encode, &Lane::end_encode, &At::encode});
}

/// The last thread to end gives back what is unfinished: by then nothing more of it is given.
void Lane::run(const Stage& stage) {
  work_on_device(stage);
  if (--running_ == 0 && device_failed()) give_back();
}

/// Throws what is no failure of the device, or that of the last one.
void Lane::work_on_device(const Stage& stage) {
  try {
    parts_.backend->enter_thread();
    work(stage);
  } catch (const Error& error) {
    const bool of_device = error.kind() == ErrorKind::device;
    if (of_device && devices_.give_up(device(), error.what())) return;
    if (!device_failed()) throw;
  } catch (const Stopped&) {
    if (!device_failed()) throw;
  }
}

void Lane::work(const Stage& stage) {
  try {
    (this->*stage.body)();
  } catch (const Error& error) {
    if (!end_input_) throw;
    end_input_(error);  // before what the stream loses is known: its end is none of the input's
    lose_from(at_.*stage.at);
    (this->*stage.end)();
  }
}

/// The stream ends within the segment, with what the lane has given of it by its end.
void Lane::lose_from(std::int64_t segment) {
  {
    const std::scoped_lock lock(losing_);
    lost_from_ = std::min(segment, lost_from_.value_or(segment));
  }
  order_.end_with(segment);
  parts_.tracks->end_with(segment);
}

std::optional<std::int64_t> Lane::lost_from() {
  const std::scoped_lock lock(losing_);
  return lost_from_;
}

template <Channel<WorkItem> Lane::*from, Channel<WorkItem> Lane::*to>
void Lane::end_stage() {
  while ((this->*from).pop()) {
  }
  (this->*to).close();
}

/// Others may need that what is read is taken.
void Lane::end_decode() {
  const auto drain = [this](Segment& segment) {
    while (segment.next(stopped_)) {
    }
  };
  for (const std::shared_ptr<Segment>& segment : taken_) drain(*segment);
  while (!begun_.empty()) end_first();
  while (const auto segment = segments_.pop(stopped_)) drain(**segment);
  decoded_.close();
}

void Lane::end_look() {
  while (detected_.pop()) {
  }
  close_looked_at();
}

/// Nothing more is given to be tracked.
void Lane::close_looked_at() {
  if (const auto segment = lost_from()) parts_.tracks->complete(*segment);
  looked_at_.close();
}

/// A frame's room ends when that has its answer.
void Lane::end_hide() {
  while (const std::optional<WorkItem> item = looked_at_.pop())
    static_cast<void>(verdicts_.pop(stopped_));
  drawn_.close();
}

void Lane::end_encode() {
  while (drawn_.pop()) {
  }
  close_order();
}

/// Nothing more is given of what the lane has lost.
void Lane::close_order() {
  if (const auto segment = lost_from()) order_.complete(*segment);
}

void Lane::give_back() {
  std::vector<std::shared_ptr<Segment>> unfinished;
  for (const std::shared_ptr<Segment>& segment : taken_) {
    const Order::Progress given = order_.leave(segment->number());
    if (given.whole) continue;
    if (!segment->rewind(given))
      throw Error(ErrorKind::device, devices_.failure(device()) +
                                         "; no other device can go on: a segment is too long to "
                                         "be kept for it");
    given_back_.insert(segment->number());
    unfinished.push_back(segment);
  }
  segments_.give_back(std::move(unfinished));
}

void Lane::decode() {
  const ScopedWork work(decoding_);
  std::shared_ptr<Segment> segment = take(segments_.pop(stopped_));
  bool goes_on = true;
  while (segment) {
    begin(*segment);
    if (!goes_on) parts_.decoder->restart();
    decode_segment(*segment);
    const std::int64_t last = segment->number();
    segment = take(segments_.pop_within(kPatience, stopped_));
    goes_on = segment && segment->alone() && segment->number() > last;
    if (goes_on) continue;
    finish();
    if (!segment) segment = take(segments_.pop(stopped_));
  }
  decoded_.close();
}

/// Takes a segment: from here on the lane finishes it or gives it back.
std::shared_ptr<Segment> Lane::take(std::optional<std::shared_ptr<Segment>> segment) {
  if (!segment) return nullptr;
  std::erase_if(taken_, [&](const auto& taken) { return segments_.is_done(taken->number()); });
  return taken_.emplace_back(std::move(*segment));
}

void Lane::begin(const Segment& segment) {
  if (begun_.empty()) at_.decode = segment.number();
  begun_.push_back({segment.number(), 0, segment.given(), {}, 0});
}

void Lane::decode_segment(Segment& segment) {
  if (parts_.first) push_frame(std::move(*std::exchange(parts_.first, std::nullopt)), {});
  push_decoded();
  while (std::optional<SegmentInput> input = segment.next(stopped_)) {
    if (auto* const side = std::get_if<SidePacket>(&*input)) {
      give(std::move(*side));
    } else {
      parts_.decoder->send(std::get<video::ReadPacket>(*input));
      push_decoded();
    }
  }
}

/// Ends all segments that were sent.
void Lane::finish() {
  parts_.decoder->finish();
  push_decoded();
  while (!begun_.empty()) end_first();
}

/// Ends the first of the segments that were sent and have not ended.
void Lane::end_first() {
  const Begun& first = begun_.front();
  if (parts_.tracks != nullptr) parts_.tracks->expect(first.segment, first.frames);
  if (order_.expect(first.segment, first.frames)) segments_.done(first.segment);
  begun_.pop_front();
  if (begun_.empty()) return;
  Begun& next = begun_.front();
  at_.decode = next.segment;
  for (SidePacket& packet : std::exchange(next.sides, {}))
    order_.give(next.segment, std::move(packet), 0, stopped_);
}

/// Gives a packet to the last segment that was begun. It doesn't wait for room behind the head
/// while the decoder may hold pictures of a segment before: that may be the head, which then would
/// never end.
void Lane::give(SidePacket packet) {
  Begun& last = begun_.back();
  if (last.given.sides > 0)
    --last.given.sides;
  else if (begun_.size() > 1)
    hold(last, std::move(packet));
  else
    order_.give(last.segment, std::move(packet), last.frames, stopped_);
}

/// Where none of the segment's pictures can be decoded, this goes on to its end.
void Lane::hold(Begun& segment, SidePacket packet) const {
  segment.held += video::memory_of(*packet.packet);
  if (segment.held > kMostHeld)
    throw Error(ErrorKind::input, parts_.decoder->url() +
                                      ": none of many packets of the video gives a picture, and "
                                      "other streams' can't be kept any longer");
  segment.sides.push_back(std::move(packet));
}

/// What the decoder has ready. A picture is asked for when there is a place for it: one that waits
/// behind others within the decoder costs no time after it was decoded.
void Lane::push_decoded() {
  while (true) {
    if (!place_) place_ = in_flight_.acquire(stopped_);
    std::optional<video::DecodedPicture> picture = parts_.decoder->next();
    if (!picture) break;
    // Its first picture comes behind the last of the segment before.
    while (begun_.size() > 1 && picture->segment > begun_.front().segment) end_first();
    const video::Timing coded = picture->coded;
    push_frame(parts_.frames->make(std::move(*picture)), coded);
  }
  if (!parts_.decoder->refusal().empty())
    throw Error(ErrorKind::device, parts_.decoder->url() + ": lane " + std::to_string(number_) +
                                       ": " + parts_.decoder->refusal() +
                                       "; fewer --lanes may do, or --decoder cpu");
}

void Lane::push_frame(video::DecodedFrame decoded, const video::Timing& coded) {
  Begun& begun = begun_.front();
  if (++begun.frames <= begun.given.frames) return;
  WorkItem item;
  item.frame = std::move(decoded.frame);
  item.record.times = decoded.times;
  item.record.index = item.frame.index;
  item.record.pts_s = item.frame.seconds();
  item.record.size = item.frame.upright();
  item.record.lane = number_;
  item.record.device = device();
  item.record.damaged = decoded.damaged;
  item.segment = begun.segment;
  item.coded = coded;
  item.in_flight = place_ ? std::move(place_) : in_flight_.acquire(stopped_);
  if (!admit(item)) return;
  decoded_.push(std::move(item));
}

/// False where the stream has ended before the frame.
bool Lane::admit(WorkItem& item) {
  if (parts_.tracks != nullptr) {
    std::optional<TrackQueue::Room> room = parts_.tracks->admit(item.segment, stopped_);
    if (!room) {
      lose_from(item.segment);
      return false;
    }
    item.room = std::move(*room);
  }
  order_.admit(item.segment, stopped_);
  return true;
}

void Lane::preprocess() {
  while (std::optional<WorkItem> item = decoded_.pop()) {
    at_.preprocess = item->segment;
    parts_.processor->start(*item, stopped_);
    started_.push(std::move(*item));
  }
  started_.close();
}

void Lane::detect() {
  while (std::optional<WorkItem> item = started_.pop()) {
    at_.detect = item->segment;
    parts_.processor->finish(*item);
    if (draws())
      detected_.push(std::move(*item));
    else
      give({nullptr, std::move(item->record)}, item->segment, item->coded);
  }
  detected_.close();
}

void Lane::look() {
  while (std::optional<WorkItem> item = detected_.pop()) {
    at_.look = item->segment;
    TrackQueue::Given given = parts_.hiding->look(*item);
    parts_.tracks->give(item->room, std::move(given), verdicts_);
    looked_at_.push(std::move(*item));
  }
  close_looked_at();
}

/// What has no verdict is dropped, with all that follows it in the stream.
void Lane::hide() {
  while (std::optional<WorkItem> item = looked_at_.pop()) {
    at_.draw = item->segment;
    std::optional<std::optional<Verdict>> verdict = verdicts_.pop(stopped_);
    if (!verdict || !*verdict) {
      lose_from(item->segment);
      continue;
    }
    parts_.hiding->settle(std::move(**verdict), *item);
    const TrackQueue::Room room = std::move(item->room);
    give_drawn(std::move(*item));
  }
  drawn_.close();
}

void Lane::give_drawn(WorkItem drawn) {
  if (parts_.encoder)
    drawn_.push(std::move(drawn));
  else
    give({nullptr, std::move(drawn.record)}, drawn.segment, drawn.coded);
}

void Lane::draw() {
  const FrameProcessor::Sink settled = [this](WorkItem item) {
    at_.draw = item.segment;
    parts_.processor->draw(item);
    give_drawn(std::move(item));
  };
  while (std::optional<WorkItem> item = detected_.pop())
    parts_.processor->settle(std::move(*item), settled);
  parts_.processor->settle_last(settled);
  drawn_.close();
}

/// Where none comes for a while, what the encoder holds is given first: others may wait for it.
std::optional<WorkItem> Lane::next_to_encode(const video::Encoder::Sink& sink) {
  std::optional<WorkItem> item = drawn_.pop_within(kPatience);
  if (item) return item;
  parts_.encoder->catch_up(sink);
  return drawn_.pop();
}

void Lane::encode() {
  const ScopedWork work(encoding_);
  struct Encoding {
    std::int64_t segment;
    video::Timing coded;
  };
  std::deque<Encoding> encoding;  // that the encoder holds
  std::int64_t last = -1;
  const auto sink = [&](video::EncodedFrame encoded) {
    const Encoding oldest = encoding.front();
    encoding.pop_front();
    if (!encoding.empty()) at_.encode = encoding.front().segment;
    give(std::move(encoded), oldest.segment, oldest.coded);
  };
  while (std::optional<WorkItem> item = next_to_encode(sink)) {
    last = item->segment;
    encoding.push_back({item->segment, item->coded});
    at_.encode = encoding.front().segment;
    parts_.encoder->encode(std::move(item->frame), std::move(item->record), sink);
  }
  parts_.encoder->flush(sink);
  if (last >= 0) order_.complete(last);  // an encoder may have left frames out
  close_order();
}

void Lane::give(video::EncodedFrame encoded, std::int64_t segment, const video::Timing& coded) {
  ++frames_;
  if (order_.give(segment, FinishedFrame{std::move(encoded), coded, Clock::now()}))
    segments_.done(segment);
}

}  // namespace facepipe::pipeline
