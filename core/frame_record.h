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

/// Marks a face that belongs to no track. For example, faces in damaged pictures are not tracked.
inline constexpr std::int64_t kNoTrack = -1;

/// Holds what the files beside the video say about one frame. Records are in presentation order.
struct FrameRecord {
  std::int64_t index = 0;
  double pts_s = 0;  ///< in seconds of the input's time
  Size size;         ///< size of the upright picture
  int lane = 0;      ///< the lane that processed the frame, from 0
  Device device;     ///< the device that processed the frame
  /// The time from when the lane finished the frame until all earlier frames were taken.
  double order_wait_ms = 0;
  bool damaged = false;  ///< the decoder reported that the picture is damaged
  /// False: no detector searched the frame; its faces come from nearby frames.
  bool searched = true;
  FrameTimes times;
  std::size_t candidates = 0;
  std::size_t face_count = 0;
  Detections faces;  ///< on CUDA, empty unless JobOptions::wants_faces or follow is set
  /// The track of each of `faces`, or kNoTrack. It is empty if faces are not tracked.
  std::vector<std::int64_t> face_tracks;
};

}  // namespace facepipe
