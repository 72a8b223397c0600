// Segments of the stream on their way to lanes, and back if a lane can't finish them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <variant>
#include <vector>

#include "core/timing.h"
#include "pipeline/lanes/channel.h"
#include "pipeline/lanes/order.h"
#include "video/bitstream/read_packet.h"

namespace facepipe::pipeline {

/// What a lane gets of a segment, in file order.
using SegmentInput = std::variant<video::ReadPacket, SidePacket>;

/// A part of the stream for one lane; all of the stream if there is one lane. One thread fills it,
/// and one thread at a time takes from it. Its eight members are a channel, and what is kept of it
/// for another lane.
class Segment {
 public:
  struct Limits {
    std::int64_t waiting = 0;  ///< cost of what waits
    std::int64_t kept = 0;     ///< bytes of what was taken and is kept; 0: nothing is kept
  };

  Segment(std::int64_t number, bool starts_independently, Limits limits, std::stop_token stop);

  /// Counted from 0.
  [[nodiscard]] std::int64_t number() const { return number_; }
  /// ReadPacket::starts_independently of its first packet.
  [[nodiscard]] bool starts_independently() const { return starts_independently_; }

  /// Waits for room.
  void push(SegmentInput input, std::int64_t cost) { input_.push(std::move(input), cost); }
  void close() { input_.close(); }

  /// The next packet; nullopt at the end. Throws Stopped once `stop` is requested.
  [[nodiscard]] std::optional<SegmentInput> next(const std::stop_token& stop);
  /// next() begins with the first packet again. Returns false if the segment was too long to be
  /// kept.
  /// @param given  what the lane has given of the segment, and the next lane leaves out
  [[nodiscard]] bool rewind(const Order::Progress& given);
  [[nodiscard]] const Order::Progress& given() const { return given_; }

 private:
  void keep(const SegmentInput& input);

  const std::int64_t number_;
  const bool starts_independently_;
  Channel<SegmentInput> input_;
  std::int64_t room_for_kept_;
  bool all_kept_;
  std::vector<SegmentInput> kept_;
  std::size_t next_ = 0;  // of kept_; behind it the channel goes on
  Order::Progress given_;
};

/// Gives each segment to the lane that asks first. Once `stop` is requested, what waits throws
/// Stopped. It has eleven members because one lock guards most of them.
class Segments {
 public:
  /// @param may_return  lanes may give segments back, so that none ends before all are done
  Segments(int capacity, std::stop_token stop, bool may_return = false);

  [[nodiscard]] bool may_return() const { return may_return_; }

  /// Adds the next segment of the stream. Waits for room.
  void push(std::shared_ptr<Segment> segment);
  /// The stream has ended.
  void close();

  /// The next segment to work on; those that were given back come first. nullopt if there will be
  /// no more. `stop` ends the wait; it must be requested when the constructor's is.
  [[nodiscard]] std::optional<std::shared_ptr<Segment>> pop(const std::stop_token& stop);
  [[nodiscard]] std::optional<std::shared_ptr<Segment>> pop() { return pop(stop_); }
  /// The same; also returns nullopt if no segment has come after `patience`.
  [[nodiscard]] std::optional<std::shared_ptr<Segment>> pop_within(Clock::duration patience,
                                                                   const std::stop_token& stop);
  /// Requested when no lane will get another segment, or the constructor's `stop` is.
  [[nodiscard]] std::stop_token ended() const { return ended_.get_token(); }
  /// All frames of a segment have been given to the Order.
  void done(std::int64_t segment);
  /// Whether the segment is done, so that it needn't be given back.
  [[nodiscard]] bool is_done(std::int64_t segment);
  /// Takes segments back that their lane can't finish. They must have been rewound.
  void give_back(std::vector<std::shared_ptr<Segment>> segments);

 private:
  [[nodiscard]] bool can_tell() const;
  void tell_end();
  [[nodiscard]] std::optional<std::shared_ptr<Segment>> take();

  const std::size_t capacity_;
  const std::stop_token stop_;
  const bool may_return_;
  std::mutex mutex_;
  std::condition_variable_any room_;
  std::condition_variable_any filled_;
  std::deque<std::shared_ptr<Segment>> waiting_;
  std::set<std::int64_t> open_;  // that were pushed and are not done, if they may return
  bool closed_ = false;
  std::stop_source ended_;
  const std::stop_callback<std::function<void()>> by_stop_;
};

}  // namespace facepipe::pipeline
