// The frames of one segment, from a lane that gives them to a thread that takes them.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace facepipe::pipeline {

/// Not thread-safe.
template <typename Frame>
struct SegmentFrames {
  std::deque<Frame> frames;  ///< those that were given and not taken
  std::int64_t given = 0;
  std::int64_t taken = 0;
  std::optional<std::int64_t> expected;
  bool complete = false;  ///< no more will come, even if more were expected

  void give(Frame frame) {
    frames.push_back(std::move(frame));
    ++given;
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
