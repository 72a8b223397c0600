// Tells which detection of a frame goes on from which of the frames before: from box to box,
// without motion.
#pragma once

#include <cstdint>
#include <vector>

#include "core/detections.h"
#include "core/geometry.h"

namespace facepipe::verify {

/// Not thread-safe.
class BoxFollower {
 public:
  /// Gives each detection a number: that of the one that it goes on from, within half a second, or
  /// a new one.
  /// @param time_s  rising
  [[nodiscard]] std::vector<std::int64_t> follow(const Detections& found, double time_s);

 private:
  struct Followed {
    std::int64_t id = 0;
    Box box;
    double time_s = 0;
  };

  std::vector<Followed> followed_;
  std::int64_t next_ = 0;
};

}  // namespace facepipe::verify
