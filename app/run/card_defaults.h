// Sets the search options that the user left open to the values of the model's card.
#pragma once

#include <span>
#include <vector>

#include "app/options/options.h"
#include "detector/facts.h"
#include "detector/model_about.h"
#include "detector/options.h"
#include "pipeline/job_options.h"
#include "track/track_file.h"

namespace facepipe::app {

/// Returns `search` with the models' values for the options that the user left open. Options for
/// which a model has no value stay unchanged.
/// @param classes  the classes that all models find; if there is no more than one class, only
///                 `model` matters
[[nodiscard]] pipeline::SearchOptions search_of(pipeline::SearchOptions search,
                                                const LeftToCard& left,
                                                const detector::ModelAbout& model,
                                                std::span<const detector::FoundClass> classes = {});

/// Returns what an edit file says of tracks of these classes, and how much of them is hidden.
[[nodiscard]] std::vector<track::TrackClass> track_classes_of(
    std::span<const detector::FoundClass> classes, const LeftToCard& left);

/// Sets what the job of an input takes from the models' cards: `search`, as search_of() returns it,
/// what scores mean for those who follow faces, and HideJob::classes.
void complete_by_card(pipeline::JobOptions& job, const LeftToCard& left,
                      const detector::ModelAbout& model,
                      std::span<const detector::FoundClass> classes);

/// Returns the score that faces exceed.
/// @param search  from search_of()
[[nodiscard]] float face_score_of(const pipeline::SearchOptions& search,
                                  const detector::DetectorOptions& detector,
                                  const detector::ModelAbout& model);

/// Returns the score that a finding of verify needs, as the model scores.
[[nodiscard]] float verify_score_of(const VerifyOptions& options,
                                    const detector::ModelAbout& model);

}  // namespace facepipe::app
