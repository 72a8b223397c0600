// Puts what lanes have finished into the order of the stream.
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
#include "video/read/timeline.h"
#include "video/write/encoder.h"

namespace facepipe::pipeline {

/// A packet of another stream than the video.
struct SidePacket {
  video::UniqueAVPacket packet;
};

/// A frame that a lane has nothing more to do with.
struct FinishedFrame {
  video::EncodedFrame encoded;  ///< without a packet where no video is written
  video::Timing coded;          ///< DecodedPicture::coded
  Clock::time_point given;
};
using OrderedItem = std::variant<FinishedFrame, SidePacket>;

/// Several lanes give the frames of the segments that they work on; one thread takes them, segment
/// by segment. Once `stop` is requested, everything that waits throws Stopped.
///
/// What can't be taken yet is bounded in two ways. Of the head, the segment whose turn it is, a few
/// frames may wait. Those of all segments behind it may hold a number of bytes together, which is
/// never refused to the head: so the lane that works on it always goes on. A frame behind it is
/// held up where it asks to be admitted, before it takes anything that lanes share, and no more
/// afterwards: so no lanes wait for each other. What is admitted already may exceed the bytes.
///
/// Where frames of later segments tell what becomes of the head's, as many segments as are needed
/// for that are refused nothing, either.
///
/// A lane that fails leaves segments that others do again: until they have, these others go on with
/// what they are at, far beyond the bytes, so that one of them comes to the head.
class Order {
 public:
  struct Limits {
    int of_head = 8;  ///< frames, and as many packets of other streams
    std::int64_t bytes_behind = std::int64_t{1} << 30;
    int times_after_failure = 8;  ///< that many bytes, until failed segments are done again
  };
  /// What has been given of a segment.
  struct Progress {
    bool whole = false;  ///< all that there is
    std::int64_t frames = 0;
    std::int64_t sides = 0;
  };

  Order(const Limits& limits, std::stop_token stop);

  /// Waits until there is room behind the head for more, or the segment is the head. It ends by
  /// `stop`, which is requested when the constructor's is.
  /// Errors: Error(device) where a lane has failed and too much waits for its segments.
  void admit(std::int64_t segment, const std::stop_token& stop);
  void admit(std::int64_t segment) { admit(segment, stop_); }
  /// The next frame of a segment, which was admitted, from its lane. Of the head: waits for room.
  /// True if the segment is whole by it.
  bool give(std::int64_t segment, FinishedFrame frame);
  /// A packet of another stream, to be taken behind the first `after` frames of the segment.
  /// Packets are given with rising `after`. Waits for room; `stop` as above.
  void give(std::int64_t segment, SidePacket packet, std::int64_t after,
            const std::stop_token& stop);
  void give(std::int64_t segment, SidePacket packet, std::int64_t after) {
    give(segment, std::move(packet), after, stop_);
  }
  /// All packets of the segment have been given, and it ends with its `frames`-th frame. True if
  /// the segment is whole by it.
  bool expect(std::int64_t segment, std::int64_t frames);
  /// Further frames of the segment will not come, however many were expected.
  void complete(std::int64_t segment);
  /// The head may not end without frames of this segment, nor of those before it.
  void need(std::int64_t segment);
  /// The stream ends with this segment. What is given behind it goes nowhere.
  void end_with(std::int64_t segment);
  /// From a lane that goes no further: what there is of a segment. Another lane gives the rest.
  [[nodiscard]] Progress leave(std::int64_t segment);
  /// So many segments there are.
  void end(std::int64_t segments);

  /// The next item; nullopt behind the last segment. For one thread.
  [[nodiscard]] std::optional<OrderedItem> next();

 private:
  struct Side {
    SidePacket packet;
    std::int64_t after = 0;
  };
  struct Part : SegmentFrames<FinishedFrame> {
    std::deque<Side> sides;
    std::int64_t bytes = 0;  // of bytes_behind_
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
  template <typename Condition>
  static void wait(std::unique_lock<std::mutex>& lock, std::condition_variable_any& changed,
                   const std::stop_token& stop, Condition fulfilled);
  [[nodiscard]] static bool has_ended(const Part& part);
  [[nodiscard]] static bool side_is_due(const Part& part);
  void pass_ended();

  const Limits limits_;
  const std::stop_token stop_;
  std::mutex mutex_;
  std::condition_variable_any room_;
  std::condition_variable_any filled_;
  std::map<std::int64_t, Part> parts_;  // by segment, from the head on
  std::set<std::int64_t> left_;         // by failed lanes, and not whole since
  std::int64_t head_ = 0;
  std::int64_t needed_ = -1;       // segments up to this one, where need() is called
  std::int64_t bytes_behind_ = 0;  // that frames and packets of segments behind the head hold
  std::optional<std::int64_t> segments_;
};

}  // namespace facepipe::pipeline
