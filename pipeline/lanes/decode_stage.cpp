#include "pipeline/lanes/decode_stage.h"

#include <cstdint>
#include <utility>
#include <variant>

#include "core/error.h"

namespace facepipe::pipeline {

DecodeStage::DecodeStage(LaneDecoding& decoding, LaneConnections& connections,
                         LaneSegments& segments, LaneEntrance& entrance, std::stop_token stopped)
    : decoding_(decoding),
      connections_(connections),
      segments_(segments),
      entrance_(entrance),
      stopped_(std::move(stopped)),
      begun_(connections, decoding.decoder->url(), stopped_) {}

std::string DecodeStage::name() const { return std::string(to_string(StageId::decode)); }

// After a segment, the lane waits for the next segment, but at most for kPatience. The lane asks
// its decoder for the pictures that the decoder still holds only if decoding can't simply continue
// with a next segment. Asking can be expensive: NVDEC's decoder for H.264 then decodes some key
// pictures in vain, or starts again, which takes 100 ms on an H100. The lane must not wait without
// limit, because the thread that reads may be waiting for these pictures.
void DecodeStage::run() {
  const ScopedWork work(working_);
  std::shared_ptr<Segment> segment = segments_.pop(stopped_);
  bool goes_on = true;
  while (segment) {
    begin(*segment);
    if (!goes_on) decoding_.decoder->restart();
    decode(*segment);
    const std::int64_t last = segment->number();
    segment = segments_.pop_within(kPatience, stopped_);
    goes_on = segment && segment->starts_independently() && segment->number() > last;
    if (goes_on) continue;
    finish();
    if (!segment) segment = segments_.pop(stopped_);
  }
  entrance_.close();
}

void DecodeStage::end() {
  const auto drain_segment = [this](Segment& segment) {
    while (segment.next(stopped_)) {
    }
  };
  for (const std::shared_ptr<Segment>& segment : segments_.taken()) drain_segment(*segment);
  while (!begun_.empty()) end_first();
  while (const auto segment = connections_.segments.pop(stopped_)) drain_segment(**segment);
  entrance_.close();
}

void DecodeStage::begin(const Segment& segment) {
  if (begun_.empty()) set_segment(segment.number());
  begun_.begin(segment);
}

void DecodeStage::decode(Segment& segment) {
  if (decoding_.first)
    push(std::move(*std::exchange(decoding_.first, std::nullopt)), begun_.number_picture(), {});
  push_decoded();
  while (std::optional<SegmentInput> input = segment.next(stopped_)) {
    if (auto* const side = std::get_if<SidePacket>(&*input)) {
      begun_.give(std::move(*side));
    } else {
      decoding_.decoder->send(std::get<video::ReadPacket>(*input));
      push_decoded();
    }
  }
}

/// Ends all segments that the decoder has got packets of.
void DecodeStage::finish() {
  decoding_.decoder->finish();
  push_decoded();
  while (!begun_.empty()) end_first();
}

/// Ends the first segment that has not ended.
void DecodeStage::end_first() {
  begun_.end_first();
  if (!begun_.empty()) set_segment(begun_.first());
}

/// Takes pictures from the decoder and gives them to the lane, until the decoder has none ready. It
/// takes a picture only when the lane has room: the frame's time after decoding then doesn't
/// include the wait for room.
void DecodeStage::push_decoded() {
  video::Decoder& decoder = *decoding_.decoder;
  while (true) {
    entrance_.reserve();
    std::optional<video::DecodedPicture> picture = decoder.next();
    if (!picture) break;
    // The first picture of a later segment shows that all pictures of earlier segments have come.
    while (begun_.ends_before(picture->segment)) end_first();
    const std::int64_t number = begun_.number_picture();
    const FrameUse use = use_of_next();
    // The frame isn't made, so it isn't counted: a part's records are numbered from 0 on.
    if (use == FrameUse::leave_out) continue;
    const video::Timing coded = picture->coded;
    push(decoding_.frames->make(std::move(*picture)), number, coded, use);
  }
  if (!decoder.refusal().empty())
    throw Error(ErrorKind::device, decoder.url() + ": lane " + std::to_string(entrance_.lane()) +
                                       ": " + decoder.refusal() +
                                       "; fewer --lanes or --decoder cpu may help");
}

FrameUse DecodeStage::use_of_next() {
  return decoding_.window ? decoding_.window->next(begun_.first()) : FrameUse::work;
}

/// @param number  of the frame in the whole input; it becomes Frame::index
void DecodeStage::push(video::DecodedFrame decoded, std::int64_t number, const video::Timing& coded,
                       FrameUse use) {
  if (!begun_.count_frame()) return;
  WorkItem item;
  item.record.index = std::exchange(decoded.frame.index, number);
  item.segment = begun_.first();
  item.coded = coded;
  item.begins_next_part = use == FrameUse::begins_next;
  entrance_.push(std::move(decoded), std::move(item));
}

}  // namespace facepipe::pipeline
