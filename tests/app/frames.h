// Makes frame records with round numbers.
#pragma once

#include <chrono>

#include "core/frame_record.h"

namespace facepipe::test {

inline Clock::time_point at_ms(double milliseconds) {
  return Clock::time_point(std::chrono::hours(1)) +
         std::chrono::duration_cast<Clock::duration>(
             std::chrono::duration<double, std::milli>(milliseconds));
}

/// Returns the record of frame `index` of a 640x480 input at 10 frames a second, with `faces`
/// faces. Each stage begins a millisecond after the previous stage and takes half a millisecond.
inline FrameRecord frame_record(std::int64_t index, std::size_t faces) {
  FrameRecord record;
  record.index = index;
  record.pts_s = static_cast<double>(index) / 10;
  record.size = {640, 480};
  record.candidates = faces * 3;
  for (std::size_t i = 0; i < kStageCount; ++i) {
    const double begin = static_cast<double>(index) * 100 + static_cast<double>(i);
    record.times.stages[i] = {at_ms(begin), at_ms(begin + 0.5)};
  }
  for (std::size_t i = 0; i < faces; ++i) {
    const auto x = static_cast<float>(10 * i);
    ++record.face_count;
    record.faces.push_back({x + 0.1F, 2, x + 8.5F, 12}, 0.75F,
                           {Point{x + 1, 3}, {x + 2, 3}, {x + 3, 4}, {x + 4, 5}, {x + 5, 5}});
  }
  return record;
}

}  // namespace facepipe::test
