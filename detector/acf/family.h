// Declares the family of detectors of aggregate channel features. Their files are JSON.
#pragma once

#include "detector/acf/model/acf.h"
#include "detector/family.h"

namespace facepipe::detector::acf {

extern const Family kFamily;

/// Reads the model file of the options. Throws the errors of read_model(). Throws Error(usage),
/// naming the file, if min_face would enlarge the picture too much.
[[nodiscard]] Model read_model_for(const DetectorOptions& options);

}  // namespace facepipe::detector::acf
