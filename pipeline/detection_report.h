// What a job tells about its detector.
#pragma once

#include <cstdint>
#include <optional>

#include "detector/facts.h"
#include "video/notices.h"

namespace facepipe::pipeline {

/// What detection is like, for all frames of a job.
struct DetectionFacts {
  detector::DetectorFacts detector;
  std::uint32_t capacity = 0;  ///< candidates of a frame that suppression takes
};

/// A line in the log that says how pictures are tiled, if they are.
void tell_tiles(const std::optional<detector::Tiling>& tiling);

/// A notice about the candidates that suppression had no room for, if there are any.
/// @param capacity  DetectionFacts::capacity
void tell_ignored(std::int64_t ignored, std::uint32_t capacity, video::Notices& notices);

}  // namespace facepipe::pipeline
