#include "app/run/card_defaults.h"

#include <algorithm>

namespace facepipe::app {

pipeline::SearchOptions search_of(const RunOptions& options, const detector::ModelAbout& model) {
  constexpr float kLeastMinScore = 1e-6F;  // the rule soft takes no less
  const LeftToCard& left = options.left_to_card;
  pipeline::SearchOptions search = options.job.search;
  if (left.iou && model.nms) search.nms.threshold = *model.nms;
  if (!left.score || !model.score) return search;
  if (search.face_score) search.face_score = model.score;
  if (left.soft_min_score) search.nms.soft.min_score = std::max(*model.score, kLeastMinScore);
  return search;
}

float face_score_of(const RunOptions& options, const detector::ModelAbout& model) {
  if (options.left_to_card.score && model.score) return *model.score;
  return options.job.search.face_score.value_or(options.detector.score_threshold);
}

}  // namespace facepipe::app
