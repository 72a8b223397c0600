// The family of networks, whose files are ONNX.
#pragma once

#include <string>

#include "detector/family.h"

namespace facepipe::detector {

struct Card;
class Model;

extern const Family kCnnFamily;

// What the factories of all devices need.

/// Reads the model of `options`, with its card. Errors: as Model.
[[nodiscard]] Model read_network(const DetectorOptions& options);

/// Returns the name of the first class that isn't ignored.
[[nodiscard]] std::string class_found_by(const Card& card);

}  // namespace facepipe::detector
