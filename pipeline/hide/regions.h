// Which regions hold at a frame's time.
#pragma once

#include <cstdint>
#include <vector>

#include "core/geometry.h"
#include "pipeline/job_options.h"

namespace facepipe::pipeline {

/// The regions of a job for one input.
class RegionClock {
 public:
  /// @param origin_us  the time from which seconds count
  /// Errors: Error(usage) for a region that lies outside of the upright picture.
  RegionClock(Regions regions, Size picture, Rational time_base, std::int64_t origin_us);

  struct Now {
    bool all_hidden = false;
    std::vector<Box> hidden;
    std::vector<Box> kept;
  };
  /// @param pts  in the time base
  [[nodiscard]] Now at(std::int64_t pts) const;
  [[nodiscard]] bool within(const TimeSpan& when, std::int64_t pts) const;

 private:
  [[nodiscard]] std::vector<Box> boxes_at(const std::vector<Region>& regions,
                                          std::int64_t pts) const;

  Regions regions_;
  Rational time_base_;
  std::int64_t origin_us_;
};

/// Whether `inner` lies in `outer`. Only the part of a box that lies in the picture counts.
[[nodiscard]] bool lies_in(const Box& inner, const Box& outer, Size picture);

}  // namespace facepipe::pipeline
