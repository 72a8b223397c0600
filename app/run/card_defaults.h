// What a run looks for, once the model's card is known: the card decides what the user left open.
#pragma once

#include "app/options/options.h"
#include "detector/model_about.h"
#include "detector/options.h"
#include "pipeline/job_options.h"

namespace facepipe::app {

/// Returns how the inputs of a run are searched.
[[nodiscard]] pipeline::SearchOptions search_of(pipeline::SearchOptions search,
                                                const LeftToCard& left,
                                                const detector::ModelAbout& model);

/// Returns the score that faces exceed.
/// @param search  from search_of()
[[nodiscard]] float face_score_of(const pipeline::SearchOptions& search,
                                  const detector::DetectorOptions& detector,
                                  const detector::ModelAbout& model);

}  // namespace facepipe::app
