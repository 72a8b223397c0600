// Declares SegmentFrames, a queue of the frames of one segment.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace facepipe::pipeline {

/// A queue of the frames of one segment. It counts the frames that lanes have given and that the
/// receiving thread has taken. Not thread-safe.
template <typename Frame>
struct SegmentFrames {
  std::deque<Frame> frames;  ///< frames that were given and not taken
  std::int64_t given = 0;
  std::int64_t taken = 0;
  std::optional<std::int64_t> expected;  ///< the number of all frames, once it is known
  bool complete = false;                 ///< no more frames will come, even if `given` < `expected`

  /// Returns the frame in the queue. If there is no memory for it, nothing changes.
  Frame& give(Frame frame) {
    Frame& kept = frames.emplace_back(std::move(frame));
    ++given;
    return kept;
  }
  [[nodiscard]] Frame take() {
    Frame first = std::move(frames.front());
    frames.pop_front();
    ++taken;
    return first;
  }
  [[nodiscard]] bool whole() const { return expected && (complete || given >= *expected); }
};

}  // namespace facepipe::pipeline
