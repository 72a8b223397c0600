// Says what a review must know about its video.
#pragma once

#include <cstdint>
#include <string>

#include "core/geometry.h"

namespace facepipe::app {

struct VideoFacts {
  std::string name;            ///< the file's name, for people
  Size size;                   ///< of the upright picture, in whose pixels boxes are
  Rational time_base{1, 1};    ///< of all stamps
  std::int64_t first_pts = 0;  ///< of the first frame
  std::int64_t last_pts = 0;   ///< about that of the last frame
  double origin_s = 0;         ///< when the video's time is 0, in seconds of the stamps

  [[nodiscard]] double seconds_of(std::int64_t pts) const {
    return static_cast<double>(pts) * time_base.num / time_base.den - origin_s;
  }
};

}  // namespace facepipe::app
