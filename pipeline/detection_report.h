// Reports facts about a job's detector: tiles in the log, ignored candidates as a notice.
#pragma once

#include <cstdint>
#include <optional>

#include "detector/facts.h"
#include "video/notices.h"

namespace facepipe::pipeline {

/// Facts about detection that hold for all frames of a job.
struct DetectionFacts {
  detector::DetectorFacts detector;
  std::uint32_t capacity = 0;  ///< the most candidates of a frame that suppression takes
};

/// Logs how frames are divided into tiles. Does nothing if there is no tiling.
void log_tiles(const std::optional<detector::Tiling>& tiling);

/// Adds a notice about candidates that suppression had no room for. Does nothing if `ignored` is 0.
/// @param capacity  DetectionFacts::capacity
void note_ignored(std::int64_t ignored, std::uint32_t capacity, video::Notices& notices);

}  // namespace facepipe::pipeline
