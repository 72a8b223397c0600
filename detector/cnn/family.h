// The family of networks, whose files are ONNX.
#pragma once

#include <vector>

#include "detector/family.h"

namespace facepipe::detector {

struct Card;
class Model;

extern const Family kCnnFamily;

// The factories of all devices use the following functions.

/// Reads the model of `options`, with its card and its chosen classes. Throws the errors of Model's
/// constructor.
[[nodiscard]] Model read_network(const DetectorOptions& options);

/// Returns the classes that aren't ignored, in the card's order. FoundClass::model is empty.
[[nodiscard]] std::vector<FoundClass> classes_found_by(const Card& card);

}  // namespace facepipe::detector
