#include "pipeline/lanes/track_queue.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "core/timing.h"

namespace facepipe::pipeline {

TrackQueue::TrackQueue(const Limits& limits, std::function<void(std::int64_t)> on_head,
                       std::stop_token stop)
    : limits_(limits), on_head_(std::move(on_head)), stop_(std::move(stop)) {
  on_head_(head_);
}

bool TrackQueue::has_room(std::int64_t segment) const {
  if (segment > head_) return held_ < limits_.max_held_later_segments;
  if (held_ < limits_.held) return true;
  const bool one_leaves = held_ > searched_ + unanswered_;
  const auto head = parts_.find(head_);
  return !one_leaves && (head == parts_.end() || head->second.let_in == head->second.taken);
}

std::optional<TrackQueue::Room> TrackQueue::admit(std::int64_t segment,
                                                  const std::stop_token& stop) {
  const ScopedWait waiting;
  std::unique_lock lock(mutex_);
  wait_unless_stopped(lock, room_, stop, [&] { return is_beyond(segment) || has_room(segment); });
  if (is_beyond(segment)) return std::nullopt;
  ++held_;
  ++searched_;
  ++parts_[segment].let_in;
  return Room(*this, segment);
}

void TrackQueue::leave(const Room& room) {
  {
    const std::scoped_lock lock(mutex_);
    --held_;
    if (!room.given_) {
      --searched_;
      const auto part = parts_.find(room.segment_);
      if (part != parts_.end()) --part->second.let_in;
    }
  }
  room_.notify_all();
}

// This function doesn't answer a frame that is after the stream's end. finish() answers such a
// frame, because a lane must get its answers in the order of its frames.
void TrackQueue::give(Room& room, Given given, Answers& answers) {
  const std::int64_t segment = room.segment_;
  bool finished = false;
  {
    const std::scoped_lock lock(mutex_);
    finished = finished_;
    Waiting* kept = nullptr;
    if (!finished) {
      Waiting waiting{std::move(given), &answers};
      // If there is no memory, nothing has changed yet. The frame doesn't have its room yet,
      // because the room's destructor takes the lock.
      kept = is_beyond(segment) ? &beyond_.emplace_back(std::move(waiting))
                                : &parts_[segment].give(std::move(waiting));
      ++unanswered_;
    }
    room.given_ = true;
    --searched_;
    if (kept != nullptr && limits_.until_taken) kept->given.room = std::move(room);
  }
  if (finished) answers.push(std::nullopt);
  filled_.notify_one();
}

template <typename Change>
void TrackQueue::change(std::int64_t segment, Change made) {
  {
    const std::scoped_lock lock(mutex_);
    if (segment < head_ || is_beyond(segment)) return;
    made(parts_[segment]);
  }
  filled_.notify_one();
}

void TrackQueue::expect(std::int64_t segment, std::int64_t frames) {
  change(segment, [&](Part& part) { part.expected = frames; });
}

void TrackQueue::complete(std::int64_t segment) {
  change(segment, [](Part& part) { part.expected = part.given; });
}

void TrackQueue::end(std::int64_t segments) {
  {
    const std::scoped_lock lock(mutex_);
    segments_ = std::min(segments, segments_.value_or(segments));
  }
  filled_.notify_one();
}

void TrackQueue::cut(std::int64_t segments) {
  segments_ = std::min(segments, segments_.value_or(segments));
  for (auto part = parts_.lower_bound(*segments_); part != parts_.end(); part = parts_.erase(part))
    std::ranges::move(part->second.frames, std::back_inserter(beyond_));
}

void TrackQueue::end_with(std::int64_t segment) {
  {
    const std::scoped_lock lock(mutex_);
    cut(segment + 1);
  }
  room_.notify_all();
  filled_.notify_one();
}

void TrackQueue::finish() {
  std::deque<Answers*> asked;
  std::vector<Waiting> beyond;
  {
    const std::scoped_lock lock(mutex_);
    finished_ = true;
    cut(head_);
    asked.swap(asked_);
    beyond.swap(beyond_);
    unanswered_ -= std::ssize(asked) + std::ssize(beyond);
  }
  for (Answers* const answers : asked) answers->push(std::nullopt);
  for (const Waiting& frame : beyond) frame.answers->push(std::nullopt);
  room_.notify_all();
  filled_.notify_all();
}

void TrackQueue::pass_ended() {
  for (auto part = parts_.find(head_);
       part != parts_.end() && part->second.whole() && part->second.frames.empty();
       part = parts_.find(head_)) {
    parts_.erase(part);
    on_head_(++head_);
    room_.notify_all();
  }
}

std::optional<TrackQueue::Given> TrackQueue::next() {
  const ScopedWait waiting;
  std::optional<Given> given;
  {
    std::unique_lock lock(mutex_);
    const auto can_tell = [this] {
      pass_ended();
      if (has_ended()) return true;
      const auto head = parts_.find(head_);
      return head != parts_.end() && !head->second.frames.empty();
    };
    wait_unless_stopped(lock, filled_, stop_, can_tell);
    if (has_ended()) return std::nullopt;
    Part& head = parts_[head_];
    asked_.push_back(head.frames.front().answers);  // if there is no memory, the frame stays
    given.emplace(head.take().given);
  }
  room_.notify_all();
  return given;
}

void TrackQueue::answer(Verdict verdict) {
  Answers* answers = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    if (asked_.empty()) throw Error(ErrorKind::internal, "a verdict on a frame that nobody gave");
    answers = asked_.front();
    asked_.pop_front();
    --unanswered_;
  }
  answers->push(std::move(verdict));
}

}  // namespace facepipe::pipeline
