#include "pipeline/lanes/order.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/timing.h"
#include "pipeline/lanes/channel.h"

namespace facepipe::pipeline {
namespace {

std::int64_t bytes_of(const video::UniqueAVPacket& packet) {
  return packet ? video::memory_of(*packet) : 0;
}

/// Returns the approximate bytes of a frame: its packet and its record with the faces.
std::int64_t bytes_of(const FinishedFrame& frame) {
  constexpr std::int64_t kFace = 64;
  const FrameRecord& record = frame.encoded.record;
  return static_cast<std::int64_t>(sizeof frame) + bytes_of(frame.encoded.packet) +
         kFace * static_cast<std::int64_t>(record.faces.size());
}

}  // namespace

Order::Order(const Limits& limits, std::stop_token stop)
    : limits_(limits), stop_(std::move(stop)) {}

bool Order::has_room(std::int64_t segment) const {
  if (segment <= std::max(head_, needed_) || is_beyond(segment) || !left_.empty()) return true;
  return bytes_behind_ < limits_.bytes_behind;
}

void Order::admit(std::int64_t segment, const std::stop_token& stop) {
  const ScopedWait waiting;
  std::unique_lock lock(mutex_);
  wait_unless_stopped(lock, room_, stop, [&] { return has_room(segment); });
  const bool head_is_left = segment != head_ && !left_.empty();
  if (head_is_left && bytes_behind_ / limits_.times_after_failure > limits_.bytes_behind)
    throw Error(
        ErrorKind::device,
        "a device has failed, and too many frames wait until another has repeated its work");
}

template <typename Fits, typename Add>
bool Order::put(std::int64_t segment, std::int64_t bytes, const std::stop_token& stop, Fits fits,
                Add add) {
  const ScopedWait waiting;
  bool whole = false;
  {
    std::unique_lock lock(mutex_);
    // During the wait, the part stays in parts_ unless the stream ends before it: pass_ended()
    // erases only whole and empty parts, and this part isn't whole yet.
    wait_unless_stopped(lock, room_, stop,
                        [&] { return is_beyond(segment) || fits(parts_[segment]); });
    if (is_beyond(segment)) return false;
    Part& part = parts_[segment];
    add(part);
    if (segment != head_) {
      part.bytes += bytes;
      bytes_behind_ += bytes;
    }
    whole = part.whole();
    if (whole) left_.erase(segment);
  }
  filled_.notify_one();
  return whole;
}

bool Order::give(std::int64_t segment, FinishedFrame frame) {
  const std::int64_t bytes = bytes_of(frame);
  return put(
      segment, bytes, stop_,
      [&](const Part& part) { return segment != head_ || !is_full(part.frames.size()); },
      [&](Part& part) { part.give(std::move(frame)); });
}

void Order::give(std::int64_t segment, SidePacket packet, std::int64_t after,
                 const std::stop_token& stop) {
  const std::int64_t bytes = bytes_of(packet.packet);
  static_cast<void>(put(
      segment, bytes, stop,
      [&](const Part& part) {
        if (segment != head_) return has_room(segment);
        // Frames before this packet may wait for a verdict that needs later frames, which only this
        // lane can give. So the lane must not wait here.
        return !is_full(part.sides.size()) || (segment == needed_ && !side_is_due(part));
      },
      [&](Part& part) {
        part.sides.push_back({std::move(packet), after});
        ++part.given_sides;
      }));
}

template <typename Change>
bool Order::change(std::int64_t segment, Change made) {
  bool whole = false;
  {
    const std::scoped_lock lock(mutex_);
    if (is_beyond(segment)) return false;
    Part& part = parts_[segment];
    made(part);
    whole = part.whole();
    if (whole) left_.erase(segment);
  }
  filled_.notify_one();
  return whole;
}

bool Order::expect(std::int64_t segment, std::int64_t frames) {
  return change(segment, [&](Part& part) { part.expected = frames; });
}

void Order::complete(std::int64_t segment) {
  static_cast<void>(change(segment, [](Part& part) { part.complete = true; }));
}

void Order::need(std::int64_t segment) {
  {
    const std::scoped_lock lock(mutex_);
    needed_ = segment;
  }
  room_.notify_all();
}

void Order::end_with(std::int64_t segment) {
  {
    const std::scoped_lock lock(mutex_);
    segments_ = std::min(segment + 1, segments_.value_or(segment + 1));
    for (auto part = parts_.lower_bound(*segments_); part != parts_.end();
         part = parts_.erase(part))
      bytes_behind_ -= part->second.bytes;
  }
  room_.notify_all();
  filled_.notify_one();
}

Order::Progress Order::leave(std::int64_t segment) {
  Progress progress;
  {
    const std::scoped_lock lock(mutex_);
    if (segment < head_) return {true, 0, 0};
    const Part& part = parts_[segment];
    progress = {part.whole(), part.given, part.given_sides};
    if (!progress.whole) left_.insert(segment);
  }
  room_.notify_all();
  return progress;
}

void Order::end(std::int64_t segments) {
  {
    const std::scoped_lock lock(mutex_);
    segments_ = std::min(segments, segments_.value_or(segments));
  }
  filled_.notify_one();
}

bool Order::has_ended(const Part& part) {
  return part.whole() && part.frames.empty() && part.sides.empty();
}

/// Returns whether the first packet of another stream is next: all frames before it have been
/// taken, or no more frames will come.
bool Order::side_is_due(const Part& part) {
  if (part.sides.empty()) return false;
  return part.sides.front().after <= part.taken || (part.complete && part.frames.empty()) ||
         (part.expected && part.taken >= *part.expected);
}

void Order::pass_ended() {
  for (auto part = parts_.find(head_); part != parts_.end() && has_ended(part->second);
       part = parts_.find(head_)) {
    parts_.erase(part);
    const auto next = parts_.find(++head_);
    if (next != parts_.end()) bytes_behind_ -= std::exchange(next->second.bytes, 0);
    room_.notify_all();
  }
}

std::optional<OrderedItem> Order::next() {
  const ScopedWait waiting;
  std::optional<OrderedItem> item;
  {
    std::unique_lock lock(mutex_);
    Part* part = nullptr;
    wait_unless_stopped(lock, filled_, stop_, [&] {
      pass_ended();
      if (segments_ && head_ >= *segments_) return true;
      part = &parts_[head_];
      return side_is_due(*part) || !part->frames.empty();
    });
    if (segments_ && head_ >= *segments_) return std::nullopt;
    if (side_is_due(*part)) {
      item.emplace(std::move(part->sides.front().packet));
      part->sides.pop_front();
    } else {
      item.emplace(part->take());
    }
  }
  room_.notify_all();
  return item;
}

}  // namespace facepipe::pipeline
