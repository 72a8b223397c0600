// Finds which detection of a frame continues a detection of earlier frames. It compares boxes, and
// doesn't estimate motion.
#pragma once

#include <cstdint>
#include <vector>

#include "core/detections.h"
#include "core/geometry.h"

namespace facepipe::verify {

/// Tracks boxes from frame to frame. Not thread-safe.
class BoxFollower {
 public:
  /// Returns a number for each detection. A detection that continues an earlier detection of its
  /// class, of the last half second, gets the same number. Otherwise it gets a new number.
  /// @param time_s  must increase from call to call
  [[nodiscard]] std::vector<std::int64_t> follow(const Detections& found, double time_s);

 private:
  struct FollowedBox {
    std::int64_t id = 0;
    Box box;
    double time_s = 0;
    std::uint16_t found_class = 0;
  };

  std::vector<FollowedBox> followed_;
  std::int64_t next_ = 0;
};

}  // namespace facepipe::verify
