// Searches for faces in pictures of a hidden video that belong to no frame of the original: covers,
// attached files, surplus frames. Only the detector can say whether they show a face.
#pragma once

#include <cstdint>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/frame.h"
#include "verify/box_follower.h"
#include "verify/findings.h"
#include "verify/looks.h"

namespace facepipe::verify {

/// Collects the findings in such pictures. Not thread-safe.
class LonePictures {
 public:
  LonePictures(Looks looks, bool thumbnails) : looks_(std::move(looks)), findings_(thumbnails) {}

  /// Examines a frame in host memory, which it reads only during the call. A detection with a usual
  /// score of at least kSurelyFace is a leak. Its box is in pixels of this frame.
  /// @param number  number of the frame; must increase from call to call
  /// @param time_s  must increase from call to call
  /// Errors: as Looks::find().
  void push(const Frame& frame, std::int64_t number, double time_s, const std::stop_token& stop);

  /// Returns all findings. Call it once, as the last function.
  [[nodiscard]] std::vector<Finding> finish() { return findings_.take(); }

 private:
  Looks looks_;
  BoxFollower follower_;
  Findings findings_;
};

}  // namespace facepipe::verify
