// The family of networks, whose files are ONNX.
#pragma once

#include <string>

#include "detector/family.h"

namespace facepipe::detector {

struct Card;
class Model;

extern const Family kCnnFamily;

// The factories of all devices use the following functions.

/// Reads the model of `options`, with its card. Throws the errors of Model's constructor.
[[nodiscard]] Model read_network(const DetectorOptions& options);

/// Returns the name of the first class that isn't ignored. Returns "face" if there is no such
/// class.
[[nodiscard]] std::string class_found_by(const Card& card);

}  // namespace facepipe::detector
