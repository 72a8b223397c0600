// Finds faces in the picture of `facepipe model check`.
#pragma once

#include <stop_token>

#include "app/doctor/doctor.h"
#include "app/options/options.h"
#include "detector/options.h"

namespace facepipe::app {

/// Writes a copy of the picture with boxes and scores, and prints the number of boxes. Throws the
/// errors of pipeline::run_job() (input, output and device).
void search_picture(const ModelCheckOptions& options, const detector::DetectorOptions& detector,
                    const Print& print, const std::stop_token& stop);

}  // namespace facepipe::app
