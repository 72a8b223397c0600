// Selects a frame's faces from the candidates that suppression has kept.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/detections.h"
#include "core/host_device.h"
#include "nms/nms.h"

namespace facepipe::pipeline {

/// Says which faces are wanted, by the size of their boxes in pixels.
struct FaceSizes {
  double min = 0;  ///< lower limit for the shorter side
  double max = 0;  ///< upper limit for the longer side; 0: no limit
  friend bool operator==(const FaceSizes&, const FaceSizes&) = default;

  /// Returns whether a face with this box is wanted. The answer is the same on every device.
  [[nodiscard]] FACEPIPE_HOST_DEVICE bool wanted(const Box& box) const {
    const float width = box.x2 - box.x1;
    const float height = box.y2 - box.y1;
    const float shorter = height < width ? height : width;
    const float longer = height < width ? width : height;
    const bool too_small = static_cast<double>(shorter) < min;
    const bool too_large = max > 0 && static_cast<double>(longer) > max;
    return !too_small && !too_large;
  }
};

/// Returns the kept candidates of wanted sizes, in rank order. If suppression has computed new
/// boxes or scores, the result has these. Otherwise it has the boxes and scores of the candidates.
[[nodiscard]] inline Detections select_faces(const Detections& candidates, const nms::NmsKept& kept,
                                             const FaceSizes& sizes) {
  Detections faces;
  for (std::size_t rank = 0; rank < kept.indices.size(); ++rank) {
    const std::uint32_t i = kept.indices[rank];
    const Box& box = kept.boxes.empty() ? candidates.boxes[i] : kept.boxes[rank];
    const float score = kept.scores.empty() ? candidates.scores[i] : kept.scores[rank];
    if (sizes.wanted(box)) faces.push_back(box, score, candidates, i);
  }
  return faces;
}

}  // namespace facepipe::pipeline
