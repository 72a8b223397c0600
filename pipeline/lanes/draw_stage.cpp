#include "pipeline/lanes/draw_stage.h"

#include <optional>
#include <utility>

namespace facepipe::pipeline {

void DrawStage::run() {
  const FrameProcessor::Sink draw = [this](WorkItem item) {
    set_segment(item.segment);
    processor_.draw(item);
    output_.give_drawn(std::move(item));
  };
  while (std::optional<WorkItem> item = from_.pop()) processor_.pass_on(std::move(*item), draw);
  processor_.pass_on_rest(draw);
  output_.close_drawn();
}

void DrawStage::end() {
  drain(from_);
  output_.close_drawn();
}

}  // namespace facepipe::pipeline
