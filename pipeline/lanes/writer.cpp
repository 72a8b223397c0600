#include "pipeline/lanes/writer.h"

#include <chrono>
#include <optional>
#include <variant>

namespace facepipe::pipeline {

std::string Writer::name() const {
  return std::string(muxer_ || part_ ? to_string(StageId::mux) : "record");
}

void Writer::run() {
  const ScopedWork work(working_);
  bool goes_on = true;  // false: the thread drops all further items, so that no lane waits for room
  while (std::optional<OrderedItem> item = order_.next()) {
    if (!goes_on) continue;
    goes_on = end_.goes_on_after([&] {
      if (auto* const side = std::get_if<SidePacket>(&*item))
        muxer_->write_side(std::move(side->packet));
      else
        write(std::get<FinishedFrame>(std::move(*item)));
    });
  }
  // drain() waits for the reader of a FIFO. A stop can still end the wait here, but not later.
  if (muxer_) end_.goes_on_after([&] { muxer_->drain(); });
}

void Writer::write(FinishedFrame frame) {
  frame.encoded.record.order_wait_ms =
      std::chrono::duration<double, std::milli>(Clock::now() - frame.given).count();
  if (presentation_) presentation_->restamp(frame);
  if (part_) write_part(frame);
  if (muxer_ && !write_video(frame)) {
    end_.request();  // the disk is full: frames that are still in the lanes are dropped
    return;
  }
  records_.push(std::move(frame.encoded.record));
}

/// The time for writing is measured, but isn't in the file, because it is known too late.
void Writer::write_part(FinishedFrame& frame) {
  Interval interval;
  {
    const ScopedInterval measured(interval);
    part_->write(frame);
  }
  frame.encoded.record.times[StageId::mux] = interval;
  if (frame.encoded.packet) ++written_;
}

bool Writer::write_video(FinishedFrame& frame) {
  FrameRecord& record = frame.encoded.record;
  const ScopedInterval interval(record.times[StageId::mux]);
  const ScopedCpuTime cpu(record.times, StageId::mux);
  const bool written = muxer_->write_video(std::move(frame.encoded.packet));
  if (written) ++written_;
  return written;
}

}  // namespace facepipe::pipeline
