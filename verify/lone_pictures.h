// Looks for faces in pictures of a hidden video that belong to no frame of the original: covers,
// attached files, surplus frames. Only the detector can tell what shows a face there.
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

/// Gathers the findings in such pictures. Not thread-safe.
class LonePictures {
 public:
  LonePictures(Looks looks, bool thumbnails) : looks_(std::move(looks)), findings_(thumbnails) {}

  /// Looks at a frame in host memory, only during the call. A face that is found in it with
  /// kSurelyFace is a leak. Its box is in pixels of this frame.
  /// @param number  number of the frame, rising
  /// @param time_s  rising
  /// Errors: as Looks::find().
  void push(const Frame& frame, std::int64_t number, double time_s, const std::stop_token& stop);

  /// Returns all findings; called once, last.
  [[nodiscard]] std::vector<Finding> finish() { return findings_.take(); }

 private:
  Looks looks_;
  BoxFollower follower_;
  Findings findings_;
};

}  // namespace facepipe::verify
