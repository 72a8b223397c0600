// Looks at a picture in more ways than one: as it is, mirrored, enlarged, reduced, turned. A face
// that one look misses another may find: small ones where it is enlarged, large blurred ones where
// it is reduced, those of a video that has lost its orientation where it is turned.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/detections.h"
#include "core/frame.h"
#include "core/geometry.h"
#include "detector/detector.h"
#include "nms/cpu/suppressor.h"

namespace facepipe::verify {

/// Says how one look is taken. The factory outlives it.
struct Look {
  detector::DetectorFactory* detectors = nullptr;
  bool mirrored = false;
  int quarter_turns = 0;  ///< clockwise, behind mirroring
};

/// Returns the size at which a picture is looked at enlarged: 1.5 times `usual`, its usual one.
/// There is none where that is more than a network takes in one run.
[[nodiscard]] std::optional<Size> enlarged_size(Size usual);

/// Returns the size at which it is looked at reduced: half, or none where that is too small.
[[nodiscard]] std::optional<Size> reduced_size(Size usual);

/// Whether one of the boxes lies where `box` does: their IoU is 0.3 at least.
[[nodiscard]] bool is_among(const Box& box, const std::vector<Box>& boxes);

/// A tracker takes so many boxes of all scores at most: it is kMostDetections of tracker.h.
inline constexpr std::size_t kMostSeen = 4096;

/// Not thread-safe.
class Looks {
 public:
  explicit Looks(std::vector<Look> looks);

  /// Returns what the looks find together, after one suppression (greedy, IoU 0.3): by score,
  /// falling, at most kMostSeen, without landmarks, in pixels of the upright frame. Errors: device;
  /// Stopped.
  [[nodiscard]] Detections find(const Frame& frame, const std::stop_token& stop);

  /// Finds faces as find() does, in the picture and, where its alpha shows anything, in that.
  [[nodiscard]] Detections find_in_all_planes(const Frame& frame, const std::stop_token& stop);

  /// Suppresses what several calls have found, in the same way.
  [[nodiscard]] Detections merged(const Detections& found);

 private:
  std::vector<Look> looks_;
  nms::CpuSuppressor suppressor_;
};

}  // namespace facepipe::verify
