// How far a job is.
#pragma once

#include <cstdint>

namespace facepipe::pipeline {

/// The state of a job after a frame.
struct Progress {
  std::int64_t frames = 0;
  std::int64_t expected_frames = 0;  ///< 0 if unknown
  double fps = 0;
  std::int64_t faces = 0;
};

}  // namespace facepipe::pipeline
