// Sets the search options that the user left open to the values of the model's card.
#pragma once

#include "app/options/options.h"
#include "detector/model_about.h"
#include "detector/options.h"
#include "pipeline/job_options.h"

namespace facepipe::app {

/// Returns `search` with the model's values for the options that the user left open. Options for
/// which the model has no value stay unchanged.
[[nodiscard]] pipeline::SearchOptions search_of(pipeline::SearchOptions search,
                                                const LeftToCard& left,
                                                const detector::ModelAbout& model);

/// Sets what the job of an input takes from the model's card: `search`, as search_of() returns it,
/// and what scores mean for those who follow faces.
void complete_by_card(pipeline::JobOptions& job, const LeftToCard& left,
                      const detector::ModelAbout& model);

/// Returns the score that faces exceed.
/// @param search  from search_of()
[[nodiscard]] float face_score_of(const pipeline::SearchOptions& search,
                                  const detector::DetectorOptions& detector,
                                  const detector::ModelAbout& model);

/// Returns the score that a finding of verify needs, as the model scores.
[[nodiscard]] float verify_score_of(const VerifyOptions& options,
                                    const detector::ModelAbout& model);

}  // namespace facepipe::app
