// The family of networks, whose files are ONNX.
#pragma once

#include <vector>

#include "detector/family.h"

namespace facepipe::detector {

struct Card;
class Model;

extern const Family kCnnFamily;

// What the factories of all devices need.

/// Reads the model of `options`, with its card and its chosen classes. Errors: as Model.
[[nodiscard]] Model read_network(const DetectorOptions& options);

/// Returns the classes that aren't ignored, in the card's order. The names of models are empty.
[[nodiscard]] std::vector<FoundClass> classes_found_by(const Card& card);

}  // namespace facepipe::detector
