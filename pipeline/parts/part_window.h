// Says what a job that makes a part does with the frames of its segments.
#pragma once

#include <array>
#include <cstdint>

#include "pipeline/parts/part_job.h"

namespace facepipe::pipeline {

/// What happens to a frame.
enum class FrameUse : std::uint8_t {
  leave_out,    ///< another part has it, and this part doesn't need it
  work,         ///< the part has it
  begins_next,  ///< it begins the next part; this part only checks that a scene begins with it
};

/// Knows the frames of a part by their numbers. Not thread-safe.
class PartWindow {
 public:
  explicit PartWindow(const PartJob& part)
      : left_out_(part.left_out), of_next_(part.next ? part.next->frames : 0) {}

  /// Must be called for each frame of the part's segments, in presentation order.
  /// @param segment  of the frame: 0, or 1 if it lies behind the part's cut
  [[nodiscard]] FrameUse next(std::int64_t segment) {
    const std::int64_t number = seen_.at(static_cast<std::size_t>(segment))++;
    if (segment == 0) return number < left_out_ ? FrameUse::leave_out : FrameUse::work;
    if (number == of_next_) return FrameUse::begins_next;
    return number < of_next_ ? FrameUse::work : FrameUse::leave_out;
  }

 private:
  std::int64_t left_out_;
  std::int64_t of_next_;
  std::array<std::int64_t, 2> seen_{};  // frames of each segment so far
};

}  // namespace facepipe::pipeline
