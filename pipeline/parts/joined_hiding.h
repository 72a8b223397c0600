// Finds out, from all parts together, what a job that hides faces says about them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/frame.h"
#include "pipeline/hide/instructions.h"
#include "pipeline/hide/regions.h"
#include "pipeline/job_options.h"
#include "pipeline/job_result.h"
#include "pipeline/parts/part_file.h"
#include "video/notices.h"

namespace facepipe::pipeline {

/// Adds up what the parts of a video have hidden. Not thread-safe.
class JoinedHiding {
 public:
  /// @param options    with JobOptions::hide; outlives this object
  /// @param first      all frames have its size and time base
  /// @param origin_us  Demuxer::origin_us()
  JoinedHiding(const JobOptions& options, const Frame& first, std::int64_t origin_us);

  /// Must be called for each frame.
  /// @param pts  Frame::pts
  void see(std::int64_t pts);

  /// Fills in what the result says about tracks.
  void fill(const std::vector<PartFacts>& parts, JobResult& result) const;
  /// Call it after the last frame. Adds a notice about each instruction that applies to no frame.
  /// Throws Error(usage) as warn_of_unused() does, and Error(input) if an edit file doesn't know
  /// all frames: its parts don't know which frames these are.
  void check(video::Notices& notices) const;

 private:
  const JobOptions& options_;
  const HideJob& job_;
  track::TrackFileInput input_;
  const RegionClock regions_;
  RegionUse region_use_;
  std::optional<TrackUse> track_use_;
  std::int64_t frames_ = 0;
};

}  // namespace facepipe::pipeline
