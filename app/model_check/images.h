// The labelled pictures with which `facepipe model check` measures a reference score.
#pragma once

#include <optional>
#include <span>
#include <stop_token>

#include "app/doctor/doctor.h"
#include "app/model_check/labels.h"
#include "detector/options.h"

namespace facepipe::app {

/// Looks for faces in all pictures, one after the other. Prints the reference score (card.h), and
/// returns it; nullopt if there are too few false positives. Errors: as pipeline::run_job() for a
/// picture; input for a file that is no picture of the size that its label says; Stopped.
/// @param pictures  at least one
std::optional<float> measure_reference_score(std::span<const LabelledPicture> pictures,
                                             const detector::DetectorOptions& detector,
                                             const Print& print, const std::stop_token& stop);

}  // namespace facepipe::app
