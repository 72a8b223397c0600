// Runs detectors on a picture in several ways ("looks"): as it is, mirrored, enlarged, reduced,
// turned. If one look misses a face, another look may find it. An enlarged picture helps with small
// faces, a reduced picture with large blurred faces, and a turned picture with a video that has
// lost its orientation.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/detections.h"
#include "core/frame.h"
#include "core/geometry.h"
#include "core/score_scale.h"
#include "detector/detector.h"
#include "nms/cpu/class_suppressor.h"

namespace facepipe::verify {

/// Describes one look. The factory must outlive it.
struct Look {
  detector::DetectorFactory* detectors = nullptr;
  bool mirrored = false;
  int quarter_turns = 0;  ///< clockwise, after mirroring
};

/// Returns the size for an enlarged look: 1.5 times `usual`, the usual size. Returns nullopt if the
/// size is more than a network takes in one run.
[[nodiscard]] std::optional<Size> enlarged_size(Size usual);

/// Returns the size for a reduced look: half of `usual`. Returns nullopt if that is too small.
[[nodiscard]] std::optional<Size> reduced_size(Size usual);

/// Returns whether one of the boxes is in the same place as `box`: their IoU is at least 0.3.
[[nodiscard]] bool is_among(const Box& box, const std::vector<Box>& boxes);

/// Finds faces by several looks. Not thread-safe.
class Looks {
 public:
  explicit Looks(std::vector<Look> looks);

  /// Returns what the scores of the detectors mean. All of them have the same models.
  [[nodiscard]] const ScoreScales& scales() const { return scales_; }

  /// Returns what all looks find together, after one suppression of each class (greedy, IoU 0.3).
  /// Detections are in pixels of the upright frame, sorted by decreasing score, without landmarks,
  /// at most track::kMostDetections. Errors: Error(device); throws Stopped.
  [[nodiscard]] Detections find(const Frame& frame, const std::stop_token& stop);

  /// Does the same as find(), and also searches the frame's alpha if the alpha shows anything.
  [[nodiscard]] Detections find_in_all_planes(const Frame& frame, const std::stop_token& stop);

  /// Suppresses the detections of several calls, as find() does.
  [[nodiscard]] Detections merged(const Detections& found);

 private:
  std::vector<Look> looks_;
  ScoreScales scales_;
  nms::ClassSuppressor suppressor_;
};

}  // namespace facepipe::verify
