#include "pipeline/cuda/face_selection.h"

#include <algorithm>
#include <cstddef>

#include "core/error.h"

namespace facepipe::pipeline {
namespace {

std::uint32_t most_of_a_class(const nms::NmsOptions& nms,
                              const cuda::DeviceDetections& candidates) {
  return std::min(candidates.capacity, nms::nms_capacity(nms));
}

cuda::DeviceBuffer<float> on_device(const std::vector<float>& scores) {
  return cuda::uploaded(scores, cuda::Stream());
}

}  // namespace

FaceSelection::FaceSelection(const FaceSelectionSetup& setup,
                             const cuda::DeviceDetections& candidates)
    : setup_(setup),
      candidates_(candidates),
      over_scores_(on_device(setup.over)),
      suppressor_(setup.nms, most_of_a_class(setup.nms, candidates), setup.overlaps,
                  candidates.capacity, nms::multiprocessors_beside_others(setup.nms)),
      kept_(suppressor_.kept_capacity()),
      kept_counts_(2),
      kept_boxes_(nms::moves_boxes(setup.nms) ? suppressor_.kept_capacity() : 0),
      kept_scores_(nms::changes_scores(setup.nms) ? suppressor_.kept_capacity() : 0),
      faces_(suppressor_.kept_capacity(), cuda::fields_of(candidates)),
      counts_(1),
      download_(counts_.data(), faces_.view(), setup.to_host) {
  const bool has_classes = candidates.classes != nullptr;
  if (has_classes != (setup.overlaps.size() > 1))
    throw Error(ErrorKind::internal, "FaceSelection: each class needs its threshold");
  if (setup.over.empty()) return;
  if (setup.over.size() < std::max<std::size_t>(1, setup.overlaps.size()))
    throw Error(ErrorKind::internal, "FaceSelection: each class needs its score");
  over_.emplace(candidates.capacity, cuda::fields_of(candidates));
}

void FaceSelection::enqueue(cuda::StreamView stream) {
  const cuda::DeviceDetections looked_at = over_ ? over_->view() : candidates_;
  if (over_) enqueue_scored_over(candidates_, over_scores_.data(), looked_at, stream);
  nms::DeviceKept kept;
  kept.indices = kept_.data();
  kept.count = kept_counts_.data();
  kept.beyond_capacity = kept_counts_.data() + 1;
  if (nms::moves_boxes(setup_.nms)) kept.boxes = kept_boxes_.data();
  if (nms::changes_scores(setup_.nms)) kept.scores = kept_scores_.data();
  suppressor_.enqueue({looked_at.boxes, looked_at.scores, looked_at.count}, looked_at.classes, kept,
                      stream);
  enqueue_faces(looked_at, kept, setup_.sizes, faces_.view(), counts_.data(), stream);
}

}  // namespace facepipe::pipeline
