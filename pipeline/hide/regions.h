// Finds the regions that apply at a frame's time.
#pragma once

#include <cstdint>
#include <vector>

#include "core/geometry.h"
#include "pipeline/job_options.h"

namespace facepipe::pipeline {

/// The regions of a job for one input.
class RegionClock {
 public:
  /// @param picture    size of the upright picture
  /// @param time_base  the unit of all `pts` arguments
  /// @param origin_us  the time in us at which a TimeSpan has 0 seconds
  /// Errors: Error(usage) for a region that lies outside of the upright picture.
  RegionClock(Regions regions, Size picture, Rational time_base, std::int64_t origin_us);

  /// The regions that apply to one frame.
  struct Now {
    bool all_hidden = false;
    std::vector<Box> hidden;
    std::vector<Box> kept;
  };
  /// Returns the regions that apply to the frame with this time stamp.
  [[nodiscard]] Now at(std::int64_t pts) const;
  /// Returns whether the time stamp lies in the span.
  [[nodiscard]] bool within(const TimeSpan& when, std::int64_t pts) const;

 private:
  [[nodiscard]] std::vector<Box> boxes_at(const std::vector<Region>& regions,
                                          std::int64_t pts) const;

  Regions regions_;
  Rational time_base_;
  std::int64_t origin_us_;
};

/// Returns whether the part of `inner` that lies in the picture lies in `outer`, too.
[[nodiscard]] bool lies_in(const Box& inner, const Box& outer, Size picture);

}  // namespace facepipe::pipeline
