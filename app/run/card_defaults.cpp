#include "app/run/card_defaults.h"

namespace facepipe::app {

pipeline::SearchOptions search_of(pipeline::SearchOptions search, const LeftToCard& left,
                                  const detector::ModelAbout& model) {
  if (left.iou && model.nms) search.nms.threshold = *model.nms;
  if (!left.score || !model.score) return search;
  if (search.face_score) search.face_score = model.score;
  if (left.soft_min_score) search.nms.soft.min_score = soft_min_score_for(*model.score);
  return search;
}

float face_score_of(const pipeline::SearchOptions& search,
                    const detector::DetectorOptions& detector, const detector::ModelAbout& model) {
  return search.face_score.value_or(with_defaults(detector, model).score_threshold);
}

}  // namespace facepipe::app
