// What `facepipe model check` tells of a network's file.
#pragma once

#include "app/doctor/doctor.h"
#include "detector/cnn/model/model.h"

namespace facepipe::app {

/// Prints how the file was recognised, its input, outputs and operators, and what it finds.
void print_network(const detector::Model& model, const Print& print);

/// Returns the draft of a card: all that is known of the model, for this file alone.
[[nodiscard]] std::string draft_of_card(const detector::Model& model);

}  // namespace facepipe::app
