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
#include "video/frames/frame_timing.h"
#include "video/write/encoder.h"

namespace facepipe::pipeline {

/// A packet of another stream than the video.
struct SidePacket {
  video::UniqueAVPacket packet;
};

/// A frame that a lane has finished.
struct FinishedFrame {
  video::EncodedFrame encoded;  ///< without a packet if no video is written
  video::Timing coded;          ///< DecodedPicture::coded
  Clock::time_point given;
};
using OrderedItem = std::variant<FinishedFrame, SidePacket>;

/// Several lanes give the frames of the segments that they work on; one thread takes them, segment
/// by segment. Once `stop` is requested, everything that waits throws Stopped.
///
/// What can't be taken yet has two limits. A few frames of the head, the segment whose turn it is,
/// may wait. The frames of all later segments may hold a number of bytes together. This limit never
/// stops the head, so the lane that works on it always goes on. A later frame waits only when it
/// asks to be admitted, before it takes anything that lanes share. So no lanes wait for each other.
/// Frames that are admitted already may exceed the bytes.
///
/// Frames of later segments may tell what becomes of the head's frames (need()). Then these
/// segments don't wait, either.
///
/// A lane that fails leaves segments that other lanes do again. Until then these other lanes go on
/// with their segments, far beyond the bytes, so that one of them comes to the head. All members
/// are here because one lock guards them.
class Order {
 public:
  struct Limits {
    int of_head = 8;  ///< frames, and as many packets of other streams
    std::int64_t bytes_behind = std::int64_t{1} << 30;
    int times_after_failure = 8;  ///< so many times the bytes, until failed segments are done again
  };
  /// What has been given of a segment.
  struct Progress {
    bool whole = false;  ///< all of it was given
    std::int64_t frames = 0;
    std::int64_t sides = 0;
  };

  Order(const Limits& limits, std::stop_token stop);

  /// Waits until there is room for more behind the head, or the segment is the head. `stop` ends
  /// the wait; it must be requested when the constructor's is. Errors: Error(device) if a lane has
  /// failed and too much waits for its segments.
  void admit(std::int64_t segment, const std::stop_token& stop);
  void admit(std::int64_t segment) { admit(segment, stop_); }
  /// Gives the next frame of a segment, which was admitted. Waits for room if the segment is the
  /// head. Returns true if the segment is whole now.
  bool give(std::int64_t segment, FinishedFrame frame);
  /// Gives a packet of another stream, which is taken behind the first `after` frames of the
  /// segment. `after` must rise from packet to packet. Waits for room; `stop` ends the wait.
  void give(std::int64_t segment, SidePacket packet, std::int64_t after,
            const std::stop_token& stop);
  void give(std::int64_t segment, SidePacket packet, std::int64_t after) {
    give(segment, std::move(packet), after, stop_);
  }
  /// All packets of the segment have been given, and it ends with its `frames`-th frame. Returns
  /// true if the segment is whole now.
  bool expect(std::int64_t segment, std::int64_t frames);
  /// No more frames of the segment will come, even if more were expected.
  void complete(std::int64_t segment);
  /// The head may not end without frames of this segment, nor of those before it.
  void need(std::int64_t segment);
  /// The stream ends with this segment. What is given behind it goes nowhere.
  void end_with(std::int64_t segment);
  /// A lane gives the segment up. Returns what there is of it; another lane gives the rest.
  [[nodiscard]] Progress leave(std::int64_t segment);
  /// The stream has so many segments.
  void end(std::int64_t segments);

  /// The next item; nullopt behind the last segment. Only one thread calls it.
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
