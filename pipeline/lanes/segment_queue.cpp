#include "pipeline/lanes/segment_queue.h"

#include <iterator>
#include <utility>

#include "core/error.h"

namespace facepipe::pipeline {
namespace {

SegmentInput reference_to(const SegmentInput& input) {
  if (const auto* const side = std::get_if<SidePacket>(&input))
    return SidePacket{video::reference(*side->packet)};
  const auto& read = std::get<video::ReadPacket>(input);
  return video::ReadPacket{video::reference(*read.packet), read.read, read.decode_only,
                           read.segment, read.starts_independently};
}

std::int64_t bytes_of(const SegmentInput& input) {
  if (const auto* const side = std::get_if<SidePacket>(&input))
    return video::memory_of(*side->packet);
  return video::memory_of(*std::get<video::ReadPacket>(input).packet);
}

}  // namespace

Segment::Segment(std::int64_t number, bool starts_independently, Limits limits,
                 std::stop_token stop, std::int64_t frames_before)
    : number_(number),
      starts_independently_(starts_independently),
      frames_before_(frames_before),
      input_(limits.waiting, std::move(stop)),
      room_for_kept_(limits.kept),
      all_kept_(limits.kept > 0) {}

std::optional<SegmentInput> Segment::next(const std::stop_token& stop) {
  if (next_ < kept_.size()) return reference_to(kept_[next_++]);
  std::optional<SegmentInput> input = input_.pop(stop);
  if (input && all_kept_) keep(*input);
  return input;
}

void Segment::keep(const SegmentInput& input) {
  room_for_kept_ -= bytes_of(input);
  if (room_for_kept_ < 0) {
    all_kept_ = false;
    kept_.clear();
    next_ = 0;
    return;
  }
  kept_.push_back(reference_to(input));
  next_ = kept_.size();
}

bool Segment::rewind(const Order::Progress& given) {
  given_ = given;
  next_ = 0;
  return all_kept_;
}

Segments::Segments(int capacity, std::stop_token stop, bool may_return)
    : capacity_(static_cast<std::size_t>(capacity)),
      stop_(std::move(stop)),
      may_return_(may_return),
      by_stop_(stop_, [this] { ended_.request_stop(); }) {}

void Segments::push(std::shared_ptr<Segment> segment) {
  const ScopedWait waiting;
  {
    std::unique_lock lock(mutex_);
    wait_unless_stopped(lock, room_, stop_, [this] { return waiting_.size() < capacity_; });
    if (may_return_) open_.insert(segment->number());
    waiting_.push_back(std::move(segment));
  }
  filled_.notify_one();
}

void Segments::close() {
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    signal_end();
  }
  filled_.notify_all();
}

/// Returns whether pop() needn't wait: there is a segment, or no segment will come again.
bool Segments::can_signal_end() const { return !waiting_.empty() || (closed_ && open_.empty()); }

void Segments::signal_end() {
  if (waiting_.empty() && can_signal_end()) ended_.request_stop();
}

std::optional<std::shared_ptr<Segment>> Segments::take() {
  if (waiting_.empty()) return std::nullopt;
  std::shared_ptr<Segment> first = std::move(waiting_.front());
  waiting_.pop_front();
  signal_end();
  room_.notify_one();
  return first;
}

std::optional<std::shared_ptr<Segment>> Segments::pop(const std::stop_token& stop) {
  const ScopedWait waiting;
  std::unique_lock lock(mutex_);
  wait_unless_stopped(lock, filled_, stop, [this] { return can_signal_end(); });
  return take();
}

std::optional<std::shared_ptr<Segment>> Segments::pop_within(Clock::duration patience,
                                                             const std::stop_token& stop) {
  const ScopedWait waiting;
  std::unique_lock lock(mutex_);
  filled_.wait_for(lock, stop, patience, [this] { return can_signal_end(); });
  if (stop.stop_requested()) throw Stopped();
  return take();
}

void Segments::done(std::int64_t segment) {
  {
    const std::scoped_lock lock(mutex_);
    open_.erase(segment);
    signal_end();
  }
  filled_.notify_all();
}

bool Segments::is_done(std::int64_t segment) {
  const std::scoped_lock lock(mutex_);
  return !open_.contains(segment);
}

void Segments::give_back(std::vector<std::shared_ptr<Segment>> segments) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_.insert(waiting_.begin(), std::make_move_iterator(segments.begin()),
                    std::make_move_iterator(segments.end()));
  }
  filled_.notify_all();
}

}  // namespace facepipe::pipeline
