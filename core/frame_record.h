// Holds what is known about one frame besides its picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/detections.h"
#include "core/device.h"
#include "core/geometry.h"
#include "core/timing.h"

namespace facepipe {

/// Stands for a face that belongs to no track. In a damaged picture, for example, no face is
/// followed.
inline constexpr std::int64_t kNoTrack = -1;

/// Describes one frame as the files beside the video describe it. Records are in presentation
/// order.
struct FrameRecord {
  std::int64_t index = 0;
  double pts_s = 0;          ///< in seconds of the input's time
  Size size;                 ///< size of the upright picture
  int lane = 0;              ///< the lane that processed it, from 0
  Device device;             ///< the device that processed it
  double order_wait_ms = 0;  ///< from the end of its lane until the frames before it were taken
  bool damaged = false;      ///< the decoder has flagged the picture
  bool searched = true;      ///< false if its faces were moved there from the frames around it
  FrameTimes times;
  std::size_t candidates = 0;
  std::size_t face_count = 0;
  Detections faces;  ///< on CUDA, filled only with JobOptions::wants_faces or follow
  /// The track of each of `faces`, or kNoTrack. It is empty if faces are not tracked.
  std::vector<std::int64_t> face_tracks;
};

}  // namespace facepipe
