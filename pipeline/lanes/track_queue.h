// Declares TrackQueue, which brings frames of all lanes to the tracker in the stream's order, and
// brings verdicts back.
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

/// Says what is hidden in a frame, and where the frame is in the stream, because a lane doesn't
/// always know this.
struct Verdict {
  HiddenFrame hidden;
  bool of_next_part = false;          ///< the frame is dropped, because the next part has it
  std::int64_t lane_frame_index = 0;  ///< the index that the lane has given the frame
  std::int64_t index = 0;             ///< the frame's index in the stream
  double time_s = 0;
  std::int64_t pts = 0;
  float cpu_ms = 0;  ///< CPU time of the job's two tracking threads for this frame, without the
                     ///< time of their helper threads
};

/// A queue from lanes to the thread that follows faces. A lane calls admit() when it has decoded a
/// frame, and give() when the frame has been searched. One thread calls next(), which returns the
/// frames segment by segment. The same thread or another one calls answer(), which sends the lane a
/// verdict on each frame. A lane gets its verdicts in the order of its frames. Thread-safe. Once
/// `stop` is requested, all functions that wait throw Stopped.
///
/// A frame is held from admit() until its Room is destroyed. Limits::held limits the frames that
/// all lanes hold together. The head is the segment whose frames next() returns now. At the limit,
/// admit() still accepts a frame of the head, unless another held frame will leave in any case: a
/// frame with a verdict, or a frame of the head that next() has still to return. So the lane that
/// works on the head always makes progress.
///
/// Frames of later segments have a lower limit, which reserves room for the head. They wait in
/// admit(), before they take any resource that lanes share. So lanes can't deadlock.
///
/// admit() and next() wait. give(), answer() and finish() wait only if a channel of answers is
/// full. One lock guards all members, so they are in one class.
class TrackQueue {
 public:
  struct Limits {
    int held = 1;                     ///< the limit of held frames
    int max_held_later_segments = 0;  ///< the limit of held frames for segments after the head
    /// A frame is held only until next() returns it, because no picture is kept for its verdict.
    bool until_taken = false;
  };

  /// Brings a lane the verdict on each of its frames. nullopt: the frame gets no verdict. Then this
  /// frame and all later frames of the stream must not be shown.
  using Answers = Channel<std::optional<Verdict>>;

  /// The right to hold one frame. The destructor gives the right back. After give(), the Room must
  /// live until the frame's answer has come. The queue must outlive the Room.
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

  /// The facts that a lane knows about a frame.
  struct Given {
    FrameToHide frame;
    video::Timing coded;                                  ///< DecodedPicture::coded
    std::shared_ptr<const track::MotionPicture> picture;  ///< for HiddenFrames::follow()
    std::optional<track::ComparedPictures> compared;      ///< for HiddenFrames::follow()
    Room room;                                            ///< give() sets it if Limits::until_taken
  };

  /// @param on_head  called with each head, while the queue is locked. The constructor calls it
  ///                 with the first head.
  TrackQueue(const Limits& limits, std::function<void(std::int64_t segment)> on_head,
             std::stop_token stop);

  /// Waits until one more frame of the segment can be held. Returns nullopt if the stream ends
  /// before this segment. `stop` ends the wait. `stop` must be requested whenever the constructor's
  /// `stop` is requested.
  [[nodiscard]] std::optional<Room> admit(std::int64_t segment, const std::stop_token& stop);
  /// Adds the next frame of a segment. Its verdict will go to `answers`, which must outlive the
  /// calls of answer() and finish().
  /// @param room  from admit() for this frame
  void give(Room& room, Given given, Answers& answers);
  /// Says that the segment has `frames` frames.
  void expect(std::int64_t segment, std::int64_t frames);
  /// Says that the segment has only the frames that were given so far.
  void complete(std::int64_t segment);
  /// Says how many segments the stream has.
  void end(std::int64_t segments);
  /// Ends the stream with this segment. Frames of later segments get no verdict.
  void end_with(std::int64_t segment);

  /// Waits for the next frame and returns it; nullopt at the stream's end, and after finish(). Only
  /// one thread may call next().
  [[nodiscard]] std::optional<Given> next();
  /// Sends the verdict on the oldest frame from next() that has no verdict yet. Only one thread
  /// calls answer() and finish().
  void answer(Verdict verdict);
  /// Sends nullopt to all frames that have no verdict yet, and to frames that are given later.
  void finish();

 private:
  struct Waiting {
    Given given;
    Answers* answers = nullptr;
  };
  struct Part : SegmentFrames<Waiting> {
    /// Number of admitted frames, without frames that were dropped before give().
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
  std::deque<Answers*> asked_;          // the answers of each frame from next() without a verdict
  std::vector<Waiting> beyond_;         // frames after the stream's end; finish() answers them
  std::int64_t head_ = 0;
  std::int64_t held_ = 0;        // held frames
  std::int64_t searched_ = 0;    // held frames that aren't given yet
  std::int64_t unanswered_ = 0;  // frames that were given and have no answer
  std::optional<std::int64_t> segments_;
  bool finished_ = false;
};

}  // namespace facepipe::pipeline
