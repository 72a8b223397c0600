// Declares Segments, the queue from which lanes take segments of the stream. A lane gives back a
// segment that it can't finish.
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

/// A packet of a segment. A lane gets its packets in file order.
using SegmentInput = std::variant<video::ReadPacket, SidePacket>;

/// A part of the stream for one lane; the whole stream if there is one lane. One thread adds
/// packets, and one thread at a time takes them. The class's nine members are a queue of packets,
/// the taken packets that are kept for another lane, and facts about the segment.
class Segment {
 public:
  struct Limits {
    std::int64_t waiting = 0;  ///< limit for the cost of packets that wait to be taken
    std::int64_t kept = 0;     ///< limit for the bytes of taken packets that are kept; 0: no
                               ///< packets are kept
  };

  /// @param frames_before  see frames_before()
  Segment(std::int64_t number, bool starts_independently, Limits limits, std::stop_token stop,
          std::int64_t frames_before = 0);

  /// Returns the segment's number in the stream, counted from 0.
  [[nodiscard]] std::int64_t number() const { return number_; }
  /// Returns ReadPacket::starts_independently of the first packet.
  [[nodiscard]] bool starts_independently() const { return starts_independently_; }
  /// Returns the number of frames before the segment in the input (FramesBefore).
  [[nodiscard]] std::int64_t frames_before() const { return frames_before_; }

  /// Adds a packet. Waits for room.
  void push(SegmentInput input, std::int64_t cost) { input_.push(std::move(input), cost); }
  void close() { input_.close(); }

  /// Waits for the next packet and returns it; nullopt at the segment's end. Throws Stopped once
  /// `stop` is requested.
  [[nodiscard]] std::optional<SegmentInput> next(const std::stop_token& stop);
  /// Makes next() begin with the first packet again. Returns false if the segment was too long to
  /// be kept.
  /// @param given  frames and packets that the lane has given to Order; the next lane skips them
  [[nodiscard]] bool rewind(const Order::Progress& given);
  [[nodiscard]] const Order::Progress& given() const { return given_; }

 private:
  void keep(const SegmentInput& input);

  const std::int64_t number_;
  const bool starts_independently_;
  const std::int64_t frames_before_;
  Channel<SegmentInput> input_;
  std::int64_t room_for_kept_;
  bool all_kept_;
  std::vector<SegmentInput> kept_;
  // Index in kept_ of the next packet. If it is kept_.size(), the next packet comes from input_.
  std::size_t next_ = 0;
  Order::Progress given_;
};

/// A queue of segments. Each segment goes to the lane that asks first. Once `stop` is requested,
/// all functions that wait throw Stopped. It has eleven members, because one lock guards most of
/// them.
class Segments {
 public:
  /// @param may_return  lanes may give segments back, so a lane ends only when all segments are
  ///                    done
  Segments(int capacity, std::stop_token stop, bool may_return = false);

  [[nodiscard]] bool may_return() const { return may_return_; }

  /// Adds the next segment of the stream. Waits for room.
  void push(std::shared_ptr<Segment> segment);
  /// Must be called after the last push().
  void close();

  /// Waits for the next segment and returns it. Segments that were given back come first. Returns
  /// nullopt if there will be no more segments. `stop` ends the wait. `stop` must be requested
  /// whenever the constructor's `stop` is requested.
  [[nodiscard]] std::optional<std::shared_ptr<Segment>> pop(const std::stop_token& stop);
  [[nodiscard]] std::optional<std::shared_ptr<Segment>> pop() { return pop(stop_); }
  /// Like pop(), but also returns nullopt if there is no segment after `patience`.
  [[nodiscard]] std::optional<std::shared_ptr<Segment>> pop_within(Clock::duration patience,
                                                                   const std::stop_token& stop);
  /// Returns a stop token that is requested when no lane will get another segment, or when the
  /// constructor's `stop` is requested.
  [[nodiscard]] std::stop_token ended() const { return ended_.get_token(); }
  /// Must be called when all frames of the segment have been given to Order.
  void done(std::int64_t segment);
  /// Returns whether the segment is done. Then it needn't be given back.
  [[nodiscard]] bool is_done(std::int64_t segment);
  /// Takes back segments that a lane can't finish. Call Segment::rewind() for each of them first.
  void give_back(std::vector<std::shared_ptr<Segment>> segments);

 private:
  [[nodiscard]] bool can_signal_end() const;
  void signal_end();
  [[nodiscard]] std::optional<std::shared_ptr<Segment>> take();

  const std::size_t capacity_;
  const std::stop_token stop_;
  const bool may_return_;
  std::mutex mutex_;
  std::condition_variable_any room_;
  std::condition_variable_any filled_;
  std::deque<std::shared_ptr<Segment>> waiting_;
  std::set<std::int64_t> open_;  // if may_return_: segments that were pushed and are not done
  bool closed_ = false;
  std::stop_source ended_;
  const std::stop_callback<std::function<void()>> by_stop_;
};

}  // namespace facepipe::pipeline
