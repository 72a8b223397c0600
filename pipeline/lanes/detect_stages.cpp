#include "pipeline/lanes/detect_stages.h"

#include <optional>
#include <utility>

namespace facepipe::pipeline {

void PreprocessStage::run() {
  while (std::optional<WorkItem> item = from_.pop()) {
    set_segment(item->segment);
    processor_.start(*item, stopped_);
    to_.push(std::move(*item));
  }
  to_.close();
}

void PreprocessStage::end() {
  drain(from_);
  to_.close();
}

void DetectStage::run() {
  while (std::optional<WorkItem> item = from_.pop()) {
    set_segment(item->segment);
    processor_.finish(*item);
    if (to_ != nullptr)
      to_->push(std::move(*item));
    else
      output_.give_drawn(std::move(*item));
  }
  close();
}

void DetectStage::end() {
  drain(from_);
  close();
}

void DetectStage::close() {
  if (to_ != nullptr) to_->close();
}

}  // namespace facepipe::pipeline
