#include "pipeline/order.h"

#include <type_traits>
#include <utility>

#include "core/error.h"
#include "core/timing.h"

namespace facepipe {
namespace {

std::int64_t bytes_of(const UniqueAVPacket& packet) { return packet ? packet->size : 0; }

/// Roughly: what a frame's faces take beside its packet.
std::int64_t bytes_of(const FinishedFrame& frame) {
  constexpr std::int64_t kFace = 64;
  const FrameRecord& record = frame.encoded.record;
  return static_cast<std::int64_t>(sizeof frame) + bytes_of(frame.encoded.packet) +
         kFace * static_cast<std::int64_t>(record.faces.size());
}

}  // namespace

Order::Order(const Limits& limits, std::stop_token stop)
    : limits_(limits), stop_(std::move(stop)) {}

template <typename Condition>
void Order::wait(std::unique_lock<std::mutex>& lock, std::condition_variable_any& changed,
                 Condition fulfilled) {
  if (stop_.stop_requested()) throw Stopped();
  if (fulfilled()) return;
  changed.wait(lock, stop_, fulfilled);
  if (stop_.stop_requested()) throw Stopped();
}

bool Order::has_room(std::int64_t segment) const {
  return segment == head_ || bytes_behind_ < limits_.bytes_behind;
}

void Order::admit(std::int64_t segment) {
  const ScopedWait waiting;
  std::unique_lock lock(mutex_);
  wait(lock, room_, [&] { return has_room(segment); });
}

template <typename Item>
void Order::put(std::int64_t segment, std::deque<Item> Part::*queue, Item item,
                std::int64_t bytes) {
  const ScopedWait waiting;
  {
    std::unique_lock lock(mutex_);
    Part& part = parts_[segment];  // stays where it is until all of it has been given and taken
    wait(lock, room_, [&] {
      if (segment != head_) return std::is_same_v<Item, FinishedFrame> || has_room(segment);
      return (part.*queue).size() < static_cast<std::size_t>(limits_.of_head);
    });
    (part.*queue).push_back(std::move(item));
    if (segment != head_) {
      part.bytes += bytes;
      bytes_behind_ += bytes;
    }
    if constexpr (std::is_same_v<Item, FinishedFrame>) ++part.given;
  }
  filled_.notify_one();
}

void Order::give(std::int64_t segment, FinishedFrame frame) {
  const std::int64_t bytes = bytes_of(frame);
  put(segment, &Part::frames, std::move(frame), bytes);
}

void Order::give(std::int64_t segment, SidePacket packet, std::int64_t after) {
  const std::int64_t bytes = bytes_of(packet.packet);
  put(segment, &Part::sides, Side{std::move(packet), after}, bytes);
}

template <typename Change>
void Order::change(std::int64_t segment, Change made) {
  {
    const std::scoped_lock lock(mutex_);
    made(parts_[segment]);
  }
  filled_.notify_one();
}

void Order::expect(std::int64_t segment, std::int64_t frames) {
  change(segment, [&](Part& part) { part.expected = frames; });
}

void Order::complete(std::int64_t segment) {
  change(segment, [](Part& part) { part.complete = true; });
}

void Order::end(std::int64_t segments) {
  {
    const std::scoped_lock lock(mutex_);
    segments_ = segments;
  }
  filled_.notify_one();
}

bool Order::has_ended(const Part& part) {
  const bool all_given = part.complete || (part.expected && part.given >= *part.expected);
  return part.expected && all_given && part.frames.empty() && part.sides.empty();
}

/// Its turn has come, or no more frames will.
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
    wait(lock, filled_, [&] {
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
      item.emplace(std::move(part->frames.front()));
      part->frames.pop_front();
      ++part->taken;
    }
  }
  room_.notify_all();
  return item;
}

}  // namespace facepipe
