// The picture that `facepipe model check` looks at.
#pragma once

#include <stop_token>

#include "app/doctor/doctor.h"
#include "app/options/options.h"
#include "detector/options.h"

namespace facepipe::app {

/// Writes a copy of the picture with boxes and scores, and prints how many there are. Errors:
/// input, output and device, as pipeline::run_job().
void look_at_picture(const ModelCheckOptions& options, const detector::DetectorOptions& detector,
                     const Print& print, const std::stop_token& stop);

}  // namespace facepipe::app
