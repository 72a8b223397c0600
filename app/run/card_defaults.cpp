#include "app/run/card_defaults.h"

#include <algorithm>

namespace facepipe::app {
namespace {

/// Returns how a class is searched.
/// @param asked  the options before the model's card was known
pipeline::SearchedClass searched(const detector::FoundClass& found, const LeftToCard& left,
                                 const pipeline::SearchOptions& asked) {
  pipeline::SearchedClass searched{asked.face_score.value_or(0), asked.nms.threshold,
                                   found.overlap.value_or(asked.followed_nms.threshold)};
  if (left.score)
    searched.face_score = found.score.value_or(detector::DetectorOptions{}.score_threshold);
  if (left.iou) searched.overlap = found.overlap.value_or(asked.nms.threshold);
  return searched;
}

}  // namespace

pipeline::SearchOptions search_of(pipeline::SearchOptions search, const LeftToCard& left,
                                  const detector::ModelAbout& model,
                                  std::span<const detector::FoundClass> classes) {
  const pipeline::SearchOptions asked = search;
  search.scales = model.scale();
  if (left.iou && model.nms) search.nms.threshold = *model.nms;
  if (model.nms) search.followed_nms.threshold = *model.nms;
  if (left.score && model.score) {
    if (search.face_score) search.face_score = model.score;
    if (left.soft_min_score) search.nms.soft.min_score = soft_min_score_for(*model.score);
  }
  if (classes.size() < 2) return search;
  for (const detector::FoundClass& each : classes)
    search.classes.push_back(searched(each, left, asked));
  search.scales = scales_of(classes);
  if (left.soft_min_score)
    search.nms.soft.min_score = soft_min_score_for(
        std::ranges::min(search.classes, {}, &pipeline::SearchedClass::face_score).face_score);
  return search;
}

std::vector<track::TrackClass> track_classes_of(std::span<const detector::FoundClass> classes,
                                                const LeftToCard& left) {
  std::vector<track::TrackClass> tracks;
  for (const detector::FoundClass& each : classes)
    tracks.push_back({each.name, has_known_classes(classes) ? each.model : std::string(),
                      left.grow ? each.grow : std::nullopt});
  return tracks;
}

void complete_by_card(pipeline::JobOptions& job, const LeftToCard& left,
                      const detector::ModelAbout& model,
                      std::span<const detector::FoundClass> classes) {
  job.search = search_of(job.search, left, model, classes);
  if (job.hide) job.hide->classes = track_classes_of(classes, left);
}

float face_score_of(const pipeline::SearchOptions& search,
                    const detector::DetectorOptions& detector, const detector::ModelAbout& model) {
  return search.face_score.value_or(with_defaults(detector, model).score_threshold);
}

float verify_score_of(const VerifyOptions& options, const detector::ModelAbout& model) {
  return options.score.value_or(model.scale().own(verify::kVerifyScore));
}

}  // namespace facepipe::app
