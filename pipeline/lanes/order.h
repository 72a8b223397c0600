// Puts the frames that lanes have finished into the order of the stream.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <variant>

#include "core/timing.h"
#include "pipeline/lanes/segment_frames.h"
#include "video/ffmpeg.h"
#include "video/frames/frame_timing.h"
#include "video/write/encoder.h"

namespace facepipe::pipeline {

/// A packet of a stream that isn't the video.
struct SidePacket {
  video::UniqueAVPacket packet;
};

/// A frame that a lane has finished.
struct FinishedFrame {
  video::EncodedFrame encoded;  ///< without a packet if no video is written
  video::Timing coded;          ///< DecodedPicture::coded
  Clock::time_point given;      ///< when the lane gave it to Order
};
using OrderedItem = std::variant<FinishedFrame, SidePacket>;

/// A queue from lanes to the thread that writes. Lanes add frames of several segments at the same
/// time. next() returns the frames segment by segment. Once `stop` is requested, all functions that
/// wait throw Stopped.
///
/// The head is the segment whose frames next() returns now. Two limits hold for frames in the
/// queue: a number of frames for the head, and a number of bytes for all later segments together.
/// The limit of bytes never applies to the head, so the lane that works on the head can always
/// continue. A lane with a later segment waits in admit(), before it takes any resource that lanes
/// share. So lanes can't deadlock. Frames that were admitted earlier may exceed the limit of bytes.
///
/// If faces are hidden, the head's last frames may need frames of later segments (see need()). The
/// limit of bytes then doesn't apply to those segments either.
///
/// If a lane fails, other lanes repeat its segments. Until this is done, lanes may also continue
/// with later segments. During this time, the limit of bytes is Limits::times_after_failure times
/// as high. One lock guards all members, so they are in one class.
class Order {
 public:
  struct Limits {
    /// Limit for waiting frames of the head, and for its waiting packets of other streams.
    int of_head = 8;
    /// Limit for the bytes of all later segments together.
    std::int64_t bytes_behind = std::int64_t{1} << 30;
    /// Multiplies `bytes_behind` until other lanes have repeated the segments of a failed lane.
    int times_after_failure = 8;
  };
  /// How much of a segment the lanes have given.
  struct Progress {
    bool whole = false;  ///< the whole segment was given
    std::int64_t frames = 0;
    std::int64_t sides = 0;
  };

  Order(const Limits& limits, std::stop_token stop);

  /// Waits until the segment is the head, or there is room for frames of later segments. A lane
  /// calls it before it works on a frame. `stop` ends the wait. `stop` must be requested whenever
  /// the constructor's `stop` is requested. Errors: Error(device) if a lane has failed and too many
  /// bytes wait until its segments are repeated.
  void admit(std::int64_t segment, const std::stop_token& stop);
  void admit(std::int64_t segment) { admit(segment, stop_); }
  /// Adds the next frame of a segment; call admit() for it first. Waits for room if the segment is
  /// the head. Returns true if the segment is whole now.
  bool give(std::int64_t segment, FinishedFrame frame);
  /// Adds a packet of another stream. next() returns it after the first `after` frames of the
  /// segment. `after` must not decrease from one packet to the next. Waits for room; `stop` ends
  /// the wait.
  void give(std::int64_t segment, SidePacket packet, std::int64_t after,
            const std::stop_token& stop);
  void give(std::int64_t segment, SidePacket packet, std::int64_t after) {
    give(segment, std::move(packet), after, stop_);
  }
  /// Says that the segment has `frames` frames, and that all its packets of other streams were
  /// given. Returns true if the segment is whole now.
  bool expect(std::int64_t segment, std::int64_t frames);
  /// Says that no more frames of the segment will come, even if expect() promised more.
  void complete(std::int64_t segment);
  /// Says that the head may need frames of segments up to `segment` before it can end. From now on,
  /// admit() doesn't wait for these segments. TrackQueue calls this.
  void need(std::int64_t segment);
  /// Ends the stream with this segment. Frames and packets of later segments are dropped.
  void end_with(std::int64_t segment);
  /// A lane calls this when it gives up a segment. Returns how much of the segment was given;
  /// another lane must give the rest.
  [[nodiscard]] Progress leave(std::int64_t segment);
  /// Says how many segments the stream has.
  void end(std::int64_t segments);

  /// Waits for the next item and returns it; nullopt after the last segment. Only one thread may
  /// call next().
  [[nodiscard]] std::optional<OrderedItem> next();

 private:
  struct Side {
    SidePacket packet;
    std::int64_t after = 0;
  };
  struct Part : SegmentFrames<FinishedFrame> {
    std::deque<Side> sides;
    std::int64_t bytes = 0;  // the segment's share of bytes_behind_
    std::int64_t given_sides = 0;
  };

  template <typename Fits, typename Add>
  bool put(std::int64_t segment, std::int64_t bytes, const std::stop_token& stop, Fits fits,
           Add add);
  [[nodiscard]] bool has_room(std::int64_t segment) const;
  [[nodiscard]] bool is_full(std::size_t waiting) const {
    return waiting >= static_cast<std::size_t>(limits_.of_head);
  }
  [[nodiscard]] bool is_beyond(std::int64_t segment) const {
    return segments_ && segment >= *segments_;
  }
  template <typename Change>
  bool change(std::int64_t segment, Change made);
  [[nodiscard]] static bool has_ended(const Part& part);
  [[nodiscard]] static bool side_is_due(const Part& part);
  void pass_ended();

  const Limits limits_;
  const std::stop_token stop_;
  std::mutex mutex_;
  std::condition_variable_any room_;
  std::condition_variable_any filled_;
  std::map<std::int64_t, Part> parts_;  // by segment, from the head on
  std::set<std::int64_t> left_;  // segments that failed lanes have left and that aren't whole
  std::int64_t head_ = 0;
  std::int64_t needed_ = -1;       // the last argument of need(); -1 if it wasn't called
  std::int64_t bytes_behind_ = 0;  // bytes of frames and packets of segments after the head
  std::optional<std::int64_t> segments_;
};

}  // namespace facepipe::pipeline
