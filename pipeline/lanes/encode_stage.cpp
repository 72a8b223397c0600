#include "pipeline/lanes/encode_stage.h"

#include <cstdint>
#include <deque>
#include <utility>

#include "video/frames/frame_timing.h"

namespace facepipe::pipeline {

std::string EncodeStage::name() const { return std::string(to_string(StageId::encode)); }

/// Waits for the next frame. If no frame comes within kPatience, calls Encoder::catch_up() before
/// it waits on, because other lanes may be waiting for frames that the encoder holds.
std::optional<WorkItem> EncodeStage::next(const video::Encoder::Sink& sink) {
  std::optional<WorkItem> item = from_.pop_within(kPatience);
  if (item) return item;
  encoder_.catch_up(sink);
  return from_.pop();
}

void EncodeStage::run() {
  const ScopedWork work(working_);
  struct Encoding {
    std::int64_t segment;
    video::Timing coded;
  };
  std::deque<Encoding> encoding;  // frames that the encoder holds
  std::int64_t last = -1;
  const auto sink = [&](video::EncodedFrame encoded) {
    const Encoding oldest = encoding.front();
    encoding.pop_front();
    if (!encoding.empty()) set_segment(encoding.front().segment);
    output_.give(std::move(encoded), oldest.segment, oldest.coded);
  };
  while (std::optional<WorkItem> item = next(sink)) {
    last = item->segment;
    encoding.push_back({item->segment, item->coded});
    set_segment(encoding.front().segment);
    encoder_.encode(std::move(item->frame), std::move(item->record), sink);
  }
  encoder_.flush(sink);
  if (last >= 0) connections_.order.complete(last);  // an encoder may have left frames out
  close();
}

void EncodeStage::end() {
  drain(from_);
  close();
}

/// If the lane has lost frames, tells Order that no more frames of the first such segment will
/// come.
void EncodeStage::close() {
  if (const auto segment = failures_.lost_from()) connections_.order.complete(*segment);
}

}  // namespace facepipe::pipeline
