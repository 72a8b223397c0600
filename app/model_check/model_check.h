// Implements `facepipe model check`, which prints what a model is, which engines compute it and how
// fast, and what it finds in a picture.
#pragma once

#include <stop_token>

#include "app/doctor/doctor.h"
#include "app/options/options.h"

namespace facepipe::app {

/// Reads the model and prints what is known of it; tries each engine; looks at the picture and
/// writes it with boxes; measures the reference score; writes a draft of a card. Returns the exit
/// code: 4 if no engine of the CPU computes the model, else 0. Errors: Error; Stopped once `stop`
/// is requested. If a network can't be read, prints the inputs and outputs that its file declares.
[[nodiscard]] int check_model(const ModelCheckOptions& options, const Print& print,
                              const std::stop_token& stop);

}  // namespace facepipe::app
