#include "pipeline/lanes/lane_output.h"

#include <utility>

#include "core/timing.h"

namespace facepipe::pipeline {

void LaneOutput::give_drawn(WorkItem drawn) {
  if (to_encoder_ != nullptr)
    to_encoder_->push(std::move(drawn));
  else
    give({nullptr, std::move(drawn.record)}, drawn.segment, drawn.coded);
}

// If there is an encoder, its stage says when no more frames come.
void LaneOutput::leave_out_last(std::int64_t segment) {
  if (to_encoder_ == nullptr) connections_.order.complete(segment);
}

void LaneOutput::close_drawn() {
  if (to_encoder_ != nullptr) to_encoder_->close();
}

void LaneOutput::give(video::EncodedFrame encoded, std::int64_t segment,
                      const video::Timing& coded) {
  ++frames_;
  if (connections_.order.give(segment, FinishedFrame{std::move(encoded), coded, Clock::now()}))
    connections_.segments.done(segment);
}

}  // namespace facepipe::pipeline
