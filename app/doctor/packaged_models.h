// Prints doctor's section about model files that packages of the operating system install.
#pragma once

#include <string_view>

#include "app/doctor/doctor.h"
#include "detector/family.h"

namespace facepipe::app {

/// Prints the folder of the models and a line about each model. If there are no models, prints
/// that. `kind` is the word for the models, for example "cascades".
void print_packaged_models(std::string_view kind, const detector::PackagedModels& found,
                           const Print& print);

}  // namespace facepipe::app
