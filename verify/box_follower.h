// Tells which detection of a frame continues which detection of earlier frames. It compares boxes,
// without motion.
#pragma once

#include <cstdint>
#include <vector>

#include "core/detections.h"
#include "core/geometry.h"

namespace facepipe::verify {

/// Follows boxes from frame to frame. Not thread-safe.
class BoxFollower {
 public:
  /// Gives each detection a number. If it continues a detection of the last half second, it gets
  /// that number; otherwise a new one.
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
