#include "pipeline/cuda/face_selection.h"

#include <algorithm>

namespace facepipe::pipeline {

FaceSelection::FaceSelection(const FaceSelectionSetup& setup,
                             const cuda::DeviceDetections& candidates)
    : setup_(setup),
      candidates_(candidates),
      suppressor_(setup.nms, std::min(candidates.capacity, nms::nms_capacity(setup.nms)),
                  nms::multiprocessors_beside_others(setup.nms)),
      kept_(suppressor_.capacity()),
      kept_counts_(2),
      kept_boxes_(nms::moves_boxes(setup.nms) ? suppressor_.capacity() : 0),
      kept_scores_(nms::changes_scores(setup.nms) ? suppressor_.capacity() : 0),
      faces_(suppressor_.capacity(), candidates.landmarks != nullptr),
      counts_(1),
      download_(counts_.data(), faces_.view(), setup.to_host) {
  if (setup.over) over_.emplace(candidates.capacity, candidates.landmarks != nullptr);
}

void FaceSelection::enqueue(cuda::StreamView stream) {
  const cuda::DeviceDetections looked_at = over_ ? over_->view() : candidates_;
  if (over_) enqueue_scored_over(candidates_, *setup_.over, looked_at, stream);
  nms::DeviceKept kept;
  kept.indices = kept_.data();
  kept.count = kept_counts_.data();
  kept.beyond_capacity = kept_counts_.data() + 1;
  if (nms::moves_boxes(setup_.nms)) kept.boxes = kept_boxes_.data();
  if (nms::changes_scores(setup_.nms)) kept.scores = kept_scores_.data();
  suppressor_.enqueue({looked_at.boxes, looked_at.scores, looked_at.count}, kept, stream);
  enqueue_faces(looked_at, kept, setup_.sizes, faces_.view(), counts_.data(), stream);
}

}  // namespace facepipe::pipeline
