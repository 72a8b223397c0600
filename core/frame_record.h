// What is known of one frame beside its picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/detections.h"
#include "core/device.h"
#include "core/geometry.h"
#include "core/timing.h"

namespace facepipe {

/// Of a face that belongs to no track: in a damaged picture nothing is followed.
inline constexpr std::int64_t kNoTrack = -1;

/// One frame as the files beside the video tell it, in presentation order.
struct FrameRecord {
  std::int64_t index = 0;
  double pts_s = 0;          ///< in the input's time
  Size size;                 ///< upright
  int lane = 0;              ///< that it went through, from 0
  Device device;             ///< likewise
  double order_wait_ms = 0;  ///< finished by its lane until the frames before it were taken
  bool damaged = false;      ///< the decoder has flagged the picture
  bool searched = true;      ///< else its faces are those of the frames around it, moved
  FrameTimes times;
  std::size_t candidates = 0;
  std::size_t face_count = 0;
  Detections faces;  ///< on CUDA only where JobOptions::wants_faces or follow
  /// The track of each of `faces`, or kNoTrack; empty where faces are not tracked.
  std::vector<std::int64_t> face_tracks;
};

}  // namespace facepipe
