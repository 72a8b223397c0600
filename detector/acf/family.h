// The family of aggregate channel features, whose files are JSON.
#pragma once

#include "detector/acf/model/acf.h"
#include "detector/family.h"

namespace facepipe::detector::acf {

extern const Family kFamily;

/// Reads the model that the options name. Errors: as read_model(); usage, naming the file, for a
/// min_face that would enlarge the picture too much.
[[nodiscard]] Model read_model_for(const DetectorOptions& options);

}  // namespace facepipe::detector::acf
