// The family of networks, whose files are ONNX.
#pragma once

#include "detector/family.h"

namespace facepipe::detector {

extern const Family kCnnFamily;

}  // namespace facepipe::detector
