// Looks at a picture in several ways: as it is, mirrored, enlarged, reduced, turned. If one look
// misses a face, another may find it. Enlarging finds small faces, and reducing finds large blurred
// ones. Turning finds the faces of a video that has lost its orientation.
#pragma once

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

/// Says how one look is taken. The factory must outlive it.
struct Look {
  detector::DetectorFactory* detectors = nullptr;
  bool mirrored = false;
  int quarter_turns = 0;  ///< clockwise, after mirroring
};

/// Returns the size of an enlarged look: 1.5 times `usual`, the usual size. Returns nullopt if that
/// is more than a network takes in one run.
[[nodiscard]] std::optional<Size> enlarged_size(Size usual);

/// Returns the size of a reduced look: half of `usual`. Returns nullopt if that is too small.
[[nodiscard]] std::optional<Size> reduced_size(Size usual);

/// Returns whether one of the boxes is at the place of `box`: their IoU is at least 0.3.
[[nodiscard]] bool is_among(const Box& box, const std::vector<Box>& boxes);

/// Finds faces by several looks. Not thread-safe.
class Looks {
 public:
  explicit Looks(std::vector<Look> looks);

  /// Returns what the looks find together, after one suppression (greedy, IoU 0.3). Detections are
  /// sorted by falling score, without landmarks, at most track::kMostDetections, in pixels of the
  /// upright frame. Errors: Error(device); throws Stopped.
  [[nodiscard]] Detections find(const Frame& frame, const std::stop_token& stop);

  /// Finds faces in the picture as find() does, and also in its alpha if that shows anything.
  [[nodiscard]] Detections find_in_all_planes(const Frame& frame, const std::stop_token& stop);

  /// Suppresses what several calls have found, in the same way.
  [[nodiscard]] Detections merged(const Detections& found);

 private:
  std::vector<Look> looks_;
  nms::CpuSuppressor suppressor_;
};

}  // namespace facepipe::verify
