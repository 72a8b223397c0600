// Says which detections count as faces, if each class has its own rules.
#pragma once

#include <vector>

#include "core/detections.h"
#include "pipeline/job_options.h"

namespace facepipe::pipeline {

/// Returns the score that faces of each class exceed; empty if all classes have the same score.
[[nodiscard]] inline std::vector<float> face_scores_of(const SearchOptions& search) {
  std::vector<float> scores;
  for (const SearchedClass& each : search.classes) scores.push_back(each.face_score);
  return scores;
}

/// Returns the candidates that score enough to be faces.
[[nodiscard]] inline Detections scored_as_faces(const Detections& candidates,
                                                const SearchOptions& search) {
  if (search.classes.empty()) return scored_over(candidates, search.face_score.value_or(0));
  return scored_over(candidates, face_scores_of(search));
}

/// Returns the threshold of suppression for each class; empty if all classes have the same
/// threshold.
[[nodiscard]] inline std::vector<float> overlaps_of(const SearchOptions& search) {
  std::vector<float> overlaps;
  for (const SearchedClass& each : search.classes) overlaps.push_back(each.overlap);
  return overlaps;
}

/// Returns the thresholds for the detections that are followed in a job that draws.
[[nodiscard]] inline std::vector<float> followed_overlaps_of(const SearchOptions& search) {
  std::vector<float> overlaps;
  for (const SearchedClass& each : search.classes) overlaps.push_back(each.followed_overlap);
  return overlaps;
}

}  // namespace facepipe::pipeline
