// Frames of all lanes on their way to the tracker, in the stream's order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "pipeline/hide/hidden_frames.h"
#include "pipeline/lanes/channel.h"
#include "pipeline/lanes/segment_frames.h"
#include "track/motion.h"
#include "video/frames/frame_timing.h"

namespace facepipe::pipeline {

/// What is hidden in a frame, and the frame's place in the stream, which its lane may not know.
struct Verdict {
  HiddenFrame hidden;
  std::int64_t lane_frame_index = 0;  ///< the index that the lane gave it with
  std::int64_t index = 0;
  double time_s = 0;
  std::int64_t pts = 0;
  float cpu_ms = 0;  ///< of the threads that followed and decided it, without their helpers
};

/// Lanes let frames in, and give them when they have been searched. One thread takes them, segment
/// by segment. It or another one gives each lane a verdict on each of its frames, in the order in
/// which the lane gave them. Thread-safe. Once `stop` is requested, everything that waits throws
/// Stopped.
///
/// At most Limits::held frames wait in all lanes, from admit() until their Room ends. The head is
/// the segment that frames are taken from. A frame of the head is refused only while another frame
/// will leave without it: a frame that has its verdict, or one of the head that is still to be
/// taken. So the lane that works on the head always makes progress. No lanes wait for each other,
/// because the taker needs only the head, and a lane lets a frame with its verdict go by itself.
/// Frames of later segments leave some room for the head. They wait in admit(), before they take
/// anything that lanes share.
///
/// Only admit(), next() and a full channel of answers wait. All members are
/// here because one lock guards them.
class TrackQueue {
 public:
  struct Limits {
    int held = 1;                     ///< frames
    int max_held_later_segments = 0;  ///< the limit for a frame of a segment behind the head
    /// A frame counts only until it is taken, because no picture waits for its verdict.
    bool until_taken = false;
  };

  /// Brings one lane a verdict on each frame that it gave. nullopt: there will be none. Then nobody
  /// may see the frame, nor any that follows it in the stream.
  using Answers = Channel<std::optional<Verdict>>;

  /// Room for a frame, which its destructor gives back. The room of a frame that was given must
  /// live until the frame has its answer. The queue outlives it.
  class Room {
   public:
    Room() = default;
    Room(Room&& other) noexcept { swap(other); }
    Room& operator=(Room other) noexcept {
      swap(other);
      return *this;
    }
    ~Room() {
      if (queue_ != nullptr) queue_->leave(*this);
    }

   private:
    friend class TrackQueue;
    Room(TrackQueue& queue, std::int64_t segment) : queue_(&queue), segment_(segment) {}
    void swap(Room& other) noexcept {
      std::swap(queue_, other.queue_);
      std::swap(segment_, other.segment_);
      std::swap(given_, other.given_);
    }

    TrackQueue* queue_ = nullptr;
    std::int64_t segment_ = 0;
    bool given_ = false;
  };

  /// A frame as its lane knows it.
  struct Given {
    FrameToHide frame;
    video::Timing coded;                                  ///< DecodedPicture::coded
    std::shared_ptr<const track::MotionPicture> picture;  ///< for HiddenFrames::follow()
    std::optional<track::ComparedPictures> compared;      ///< for HiddenFrames::follow()
    Room room;                                            ///< with Limits::until_taken
  };

  /// @param on_head  called with each head, the first at once, while the queue is locked
  TrackQueue(const Limits& limits, std::function<void(std::int64_t segment)> on_head,
             std::stop_token stop);

  /// Waits until there is room for one more frame of the segment. Returns nullopt if nobody wants
  /// it, because the stream ends before it. `stop` ends the wait; it must be requested when the
  /// constructor's is.
  [[nodiscard]] std::optional<Room> admit(std::int64_t segment, const std::stop_token& stop);
  /// The next frame of its segment, which was admitted. `answers` outlives the queue's taker.
  void give(Room& room, Given given, Answers& answers);
  /// The segment ends with its `frames`-th frame.
  void expect(std::int64_t segment, std::int64_t frames);
  /// The segment ends with the frames that were given.
  void complete(std::int64_t segment);
  /// The stream has so many segments.
  void end(std::int64_t segments);
  /// The stream ends with this segment: what is given behind it will have no verdict.
  void end_with(std::int64_t segment);

  /// The next frame; nullopt at the stream's end, and after finish(). For one thread.
  [[nodiscard]] std::optional<Given> next();
  /// Gives a verdict on the first of the frames that were taken and have none. One thread calls
  /// this and finish().
  void answer(Verdict verdict);
  /// There are no more verdicts: frames that have none yet get none.
  void finish();

 private:
  struct Waiting {
    Given given;
    Answers* answers = nullptr;
  };
  struct Part : SegmentFrames<Waiting> {
    /// Frames that were admitted, without those that left and weren't given.
    std::int64_t let_in = 0;
  };

  void leave(const Room& room);
  [[nodiscard]] bool has_room(std::int64_t segment) const;
  [[nodiscard]] bool has_ended() const { return segments_ && head_ >= *segments_; }
  [[nodiscard]] bool is_beyond(std::int64_t segment) const {
    return segments_ && segment >= *segments_;
  }
  template <typename Change>
  void change(std::int64_t segment, Change made);
  void pass_ended();
  void cut(std::int64_t segments);

  const Limits limits_;
  const std::function<void(std::int64_t)> on_head_;
  const std::stop_token stop_;
  std::mutex mutex_;
  std::condition_variable_any room_;
  std::condition_variable_any filled_;
  std::map<std::int64_t, Part> parts_;  // by segment, from the head on
  std::deque<Answers*> asked_;          // where answers on the frames that were taken go
  std::vector<Waiting> beyond_;         // frames that get no verdict, behind others of their lanes
  std::int64_t head_ = 0;
  std::int64_t held_ = 0;        // frames that have room
  std::int64_t searched_ = 0;    // of these, frames that aren't given yet
  std::int64_t unanswered_ = 0;  // frames that were given and have no answer
  std::optional<std::int64_t> segments_;
  bool finished_ = false;
};

}  // namespace facepipe::pipeline
