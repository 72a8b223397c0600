// Prints what `facepipe model check` finds out about a network, and makes a draft of its card.
#pragma once

#include "app/doctor/doctor.h"
#include "detector/cnn/model/model.h"

namespace facepipe::app {

/// Prints how the network was recognised, its classes, its input, its outputs and its operators.
void print_network(const detector::Model& model, const Print& print);

/// Returns the draft of a card: all that is known of the model, for this file alone.
[[nodiscard]] std::string draft_of_card(const detector::Model& model);

}  // namespace facepipe::app
