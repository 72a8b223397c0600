// Prints what `facepipe model check` finds out about a network, and makes a draft of its card.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/doctor/doctor.h"
#include "detector/cnn/model/model.h"

namespace facepipe::app {

/// Prints how the network was recognised, its classes, its input, its outputs and its operators.
void print_network(const detector::Model& model, const Print& print);

/// Prints which inputs and outputs a file declares, as a start for a card. Prints nothing if the
/// file is not an ONNX model.
void print_declared(const std::filesystem::path& file, const Print& print);

/// Returns the draft of a card: all that is known of the model, for this file alone.
/// @param measured  the reference score that was just measured; nullopt: none was
[[nodiscard]] std::string draft_of_card(const detector::Model& model,
                                        const std::optional<float>& measured);

}  // namespace facepipe::app
