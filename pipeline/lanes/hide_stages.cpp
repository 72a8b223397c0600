#include "pipeline/lanes/hide_stages.h"

#include <optional>
#include <utility>

namespace facepipe::pipeline {

void LookStage::run() {
  while (std::optional<WorkItem> item = from_.pop()) {
    set_segment(item->segment);
    TrackQueue::Given given = hiding_.look(*item);
    tracks_.give(item->room, std::move(given), to_.verdicts);
    to_.frames.push(std::move(*item));
  }
  close();
}

void LookStage::end() {
  drain(from_);
  close();
}

/// Tells the tracker and the next stage that no more frames come from this lane.
void LookStage::close() {
  if (const auto segment = failures_.lost_from()) tracks_.complete(*segment);
  to_.frames.close();
}

void HideStage::run() {
  while (std::optional<WorkItem> item = from_.frames.pop()) {
    set_segment(item->segment);
    std::optional<std::optional<Verdict>> verdict = from_.verdicts.pop(stopped_);
    if (!verdict || !*verdict) {
      failures_.lose_from(item->segment);
      continue;
    }
    if ((*verdict)->of_next_part) {
      output_.leave_out_last(item->segment);
      continue;
    }
    hiding_.apply(std::move(**verdict), *item);
    const TrackQueue::Room room = std::move(item->room);
    output_.give_drawn(std::move(*item));
  }
  output_.close_drawn();
}

/// Waits for the verdict on each frame, because a frame's WorkItem::room must not be destroyed
/// before the verdict on the frame has come.
void HideStage::end() {
  while (const std::optional<WorkItem> item = from_.frames.pop())
    static_cast<void>(from_.verdicts.pop(stopped_));
  output_.close_drawn();
}

}  // namespace facepipe::pipeline
