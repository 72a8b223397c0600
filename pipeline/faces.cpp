#include "pipeline/faces.h"

namespace facepipe {

Detections select_faces(const Detections& candidates, const NmsKept& kept, const FaceSizes& sizes) {
  Detections faces;
  for (std::size_t rank = 0; rank < kept.indices.size(); ++rank) {
    const std::uint32_t i = kept.indices[rank];
    const Box& box = kept.boxes.empty() ? candidates.boxes[i] : kept.boxes[rank];
    const float score = kept.scores.empty() ? candidates.scores[i] : kept.scores[rank];
    if (sizes.wanted(box)) faces.push_back(box, score, candidates, i);
  }
  return faces;
}

}  // namespace facepipe
