#include "app/run/card_defaults.h"

namespace facepipe::app {

pipeline::SearchOptions search_of(pipeline::SearchOptions search, const LeftToCard& left,
                                  const detector::ModelAbout& model) {
  search.scale = model.scale();
  if (left.iou && model.nms) search.nms.threshold = *model.nms;
  if (model.nms) search.followed_nms.threshold = *model.nms;
  if (!left.score || !model.score) return search;
  if (search.face_score) search.face_score = model.score;
  if (left.soft_min_score) search.nms.soft.min_score = soft_min_score_for(*model.score);
  return search;
}

void complete_by_card(pipeline::JobOptions& job, const LeftToCard& left,
                      const detector::ModelAbout& model) {
  job.search = search_of(job.search, left, model);
  if (job.hide) job.hide->tracks.scale = job.search.scale;
  if (job.follow) job.follow->scale = job.search.scale;
}

float face_score_of(const pipeline::SearchOptions& search,
                    const detector::DetectorOptions& detector, const detector::ModelAbout& model) {
  return search.face_score.value_or(with_defaults(detector, model).score_threshold);
}

float verify_score_of(const VerifyOptions& options, const detector::ModelAbout& model) {
  return options.score.value_or(model.scale().own(verify::kVerifyScore));
}

}  // namespace facepipe::app
